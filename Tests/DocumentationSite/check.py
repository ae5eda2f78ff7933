#!/usr/bin/env python3
"""Checks a static site of DocC: check.py SITE MODULE…

- Every public symbol of a module is in a topic of its overview: DocC marks those that it makes up itself as generated.
- Every link of a page leads to a page of the site, and every picture to a file. (Links that DocC cannot resolve at all are
  its warnings, which the build does not accept; symbols of the standard library have no page here.)
"""
import json
import pathlib
import sys


def objections(site, modules):
    data = site / "data"
    pages = {"/" + str(path.relative_to(data).with_suffix("")).lower() for path in data.rglob("*.json")}
    if not pages:
        yield f"{site} has no pages"
    for module in modules:
        overview = data / "documentation" / f"{module.lower()}.json"
        if not overview.exists():
            yield f"{module} has no overview"
            continue
        sections = json.loads(overview.read_text()).get("topicSections", [])
        for section in sections:
            if section.get("generated"):
                yield f"{module}: in no topic: {', '.join(section['identifiers'])}"
        if not sections:
            yield f"{module}: its overview has no topics"
    for path in sorted(data.rglob("*.json")):
        page = json.loads(path.read_text())
        for reference in page.get("references", {}).values():
            name = path.relative_to(data)
            kind, url = reference.get("type"), reference.get("url", "")
            if kind in ("topic", "section") and url.startswith("/") and not is_chapter(data, reference):
                if url.split("#")[0].rstrip("/").lower() not in pages:
                    yield f"{name}: {url} is not there"
            elif kind == "image":
                for variant in reference.get("variants", []):
                    if not (site / variant["url"].lstrip("/")).exists():
                        yield f"{name}: {variant['url']} is not there"


def is_chapter(data, reference):
    """Whether a reference is to a chapter of tutorials, which is a part of their table of contents and has no page."""
    contents = data / (reference["url"].strip("/").rpartition("/")[0] + ".json")
    if not reference["url"].startswith("/tutorials/") or not contents.exists():
        return False
    sections = json.loads(contents.read_text()).get("sections", [])
    return reference["title"] in [chapter.get("name") for section in sections for chapter in section.get("chapters", [])]


def main():
    site, modules = pathlib.Path(sys.argv[1]), sys.argv[2:]
    found = list(objections(site, modules))
    for objection in found:
        print(f"documentation: {objection}", file=sys.stderr)
    if found:
        return 1
    count = sum(1 for _ in (site / "data").rglob("*.json"))
    print(f"documentation: {count} pages, every symbol is in a topic, and every link leads to a page")
    return 0


sys.exit(main())
