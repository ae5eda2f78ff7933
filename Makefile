# Every target works on a fresh clone. `make help` lists them.

SWIFT ?= swift
BOOTSTRAP = Scripts/bootstrap
# The options of a build of the libraries; Scripts/packages has them for the scripts. All packages name this trait, because a build with other traits compiles every
# module of ours again; and all share one build folder, in which what several of them need is compiled once. The cached plan
# of a build can be another package's, which lacks the product ("No target named …").
LIBRARIES = --traits All --disable-build-manifest-caching
package = --package-path $(1) --scratch-path $(2) --disable-build-manifest-caching
COMMAND = $(call package,Command,.build)
EXAMPLES = $(call package,Examples,.build)
BENCHMARKS = $(call package,Benchmarks,.build)
# With a build folder of its own: what a package does without, SwiftPM takes out of the folder. After the other packages,
# REWRITER_BUILD=.build OPTIMIZE_APUS=1 compiles only what they have not.
REWRITER_BUILD ?= .build/parts/rewriter
REWRITER = $(call package,ObjCRewriter,$(REWRITER_BUILD))
SOURCES = Sources Tests Package.swift Command/Sources Command/Tests Command/Plugins Command/Package.swift Examples Benchmarks/Sources Benchmarks/Package.swift ObjCRewriter
# Not under the thread sanitizer: what runs on one thread has nothing to race with (histories of a model; whole modules of
# that kind are in NEVER_RACED, and are not compiled for it); texts of the command, for which one client at a time
# asks a daemon; a test that measures time; one that floods a listener with connections, which is slow there, and about
# SwiftNIO; and the one of wake-ups, because the sanitizer has a thread that wakes ten times a second.
TEXTS = EndToEndTests.(Calendar|Completion|Contract|Doctor|Edit|ExitCode|Filter|History|Name|Names|Preview|SocketRecord|Stats|StoreCommand|Surroundings|Top)Tests
NOT_RACED = ApusPostgresTests.MembershipTests|EcosystemTests|noDrift|prunedWhileNear|LoopbackWebTests.EndTests|EndToEndTests.IdleTests|CountdownKillTests|BackgroundTimerProgramTests|amongManyOthers|$(TEXTS)
RACED = ApusBackgroundTests ApusFoundationTests ApusJobsTests ApusLinuxTests ApusPostgresTests ApusSQLiteTests ApusTimerStress ApusTimersTests TimerWheelTests
NEVER_RACED = ApusAppleTests ApusCalendarTests ApusDeviceTests ClusterSimulationTests ProcessClockTests ProjectTests SchedulerSimulationTests SimulatedAppleTests SimulatedSwiftUITests TestTraitsTests
# The tests of a part: `make test-jobs` compiles them and what they need, in a build of their own, with one trait: SQLite, or
# the part's own. Tests of another trait are left to `make test-libraries`.
part_wheel = TimerWheelTests
part_calendar = ApusCalendarTests
part_timers = TimerWheelTests ApusTimersTests
part_background = ApusBackgroundTests ApusFoundationTests
part_phone = ApusDeviceTests
part_jobs = ApusJobsTests
part_sqlite = ApusSQLiteTests
part_linux = ApusLinuxTests
part_apple = ApusAppleTests SimulatedAppleTests SimulatedSwiftUITests
part_traits = ProcessClockTests TestTraitsTests
part_project = ProjectTests
part_simulation = SchedulerSimulationTests ClusterSimulationTests
PARTS = $(sort $(patsubst part_%,%,$(filter part_%,$(.VARIABLES))))
OPTIMIZED_PARTS = simulation check
trait_linux = ServiceLifecycle
trait_apple = SimulatedApple
part_check = $(foreach part,timers calendar background phone jobs sqlite project simulation,$(part_$(part)))
# With FILTER=JobMachineTests only the tests whose names match.
FILTER ?=
# The command, and the daemon that it starts from the same folder.
programs = $(SWIFT) build $(COMMAND) $(1) --product apusd && $(SWIFT) build $(COMMAND) $(1) --product apus

# How many tests run at once. Without it all hundreds begin together, and each step of one waits for a step of all the
# others: on two cores a test of a daemon then comes to ask it once in a minute.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 16

# Package.swift says what for. What is compiled to be run once, or again after each change, does without: `run` and
# most parts' tests. (Not `APUS_…`: the command says of such a variable that it has no effect.)
export OPTIMIZE_APUS = 1

# `@testable import` needs `-enable-testing`, and the tests of the bounds of timers `COUNTS_VISITS` (Package.swift).
# RELEASED="ApusJobsTests ApusDeviceTests" compiles and runs only these.
RELEASED ?=
RELEASE_LIBRARIES = $(LIBRARIES) -c release -Xswiftc -enable-testing -Xswiftc -DCOUNTS_VISITS --scratch-path .build/parts/release

# They have a build folder of their own.
TSAN_LIBRARIES = $(LIBRARIES) --sanitize=thread --scratch-path .build-tsan
TSAN_COMMAND = $(call package,Command,.build-tsan) --sanitize=thread
# The exit status stays the program's own (a daemon's is looked at); whether there was a race, the reports say.
# Without `die_after_fork=0`, a forked child that starts a thread ends with that status, as if it had done its work.
TSAN_OPTIONS = exitcode=0 die_after_fork=0 suppressions=$(CURDIR)/.ci/tsan-suppressions log_path=$(CURDIR)/.build-tsan/reports/race
# More options of `make build`.
CHECKS ?=
STRESS_SECONDS ?= 30
KILLS ?= 200
ROUNDS ?= 1
LONG ?= 60
CHAOS_BUILD ?= release
SEEDS ?= 10000
EXPLORE_SEEDS ?= 1000
FIRST ?= 1
CALENDAR_SECONDS ?= 600
FUZZ_SECONDS ?= 600
FUZZ ?= words cron calendar rrule tzif

PREFIX ?= /usr/local
DESTDIR ?=
# The maintainer of the Debian package, "NAME <ADDRESS>". Without it: DEBFULLNAME and DEBEMAIL, else git's user.
export DEB_MAINTAINER ?=

.DEFAULT_GOAL := help
.PHONY: run demo install deb build build-libraries build-command build-examples build-rewriter test test-libraries test-command test-examples test-rewriter test-release check browser api c-checks clock clock-programs docs tutorials pictures lint format bench bench-cluster bench-dashboard bench-sleepless bench-calendar bench-build release tsan tsan-build stress torture chaos simulate calendar fuzz mutants explore timelines bootstrap bootstrap-build clean help

# For debugging. `make install` builds a release. CI says RUN=.build: it has compiled all of it there already.
RUN ?= .build/run
run: OPTIMIZE_APUS = $(if $(filter .build,$(RUN)),1)
run: COMMAND = $(call package,Command,$(RUN))
run: bootstrap-build  ## build the command, show the demo, say what to try next
	$(call programs)
	@bin="$$($(SWIFT) build $(COMMAND) --show-bin-path)/apus"; \
	"$$bin" demo && \
	printf '\nTry next:\n  %s after 10s -- echo tea\n  %s countdown 1m --name tea\n  %s list\n' "$$bin" "$$bin" "$$bin"

demo: bootstrap-build  ## show the sample app on a simulated phone in the browser, at the address that it prints
	$(SWIFT) build $(EXAMPLES) --product Sleepless
	@exec "$$($(SWIFT) build $(EXAMPLES) --show-bin-path)/Sleepless" $(DEMO)

build: build-libraries build-command build-examples  ## compile everything, tests included

build-libraries: bootstrap
	$(SWIFT) build $(LIBRARIES) --build-tests $(CHECKS)

build-command: bootstrap
	$(SWIFT) build $(COMMAND) --build-tests $(CHECKS)

build-examples: bootstrap
	$(SWIFT) build $(EXAMPLES) --build-tests $(CHECKS)

build-rewriter: OPTIMIZE_APUS =
build-rewriter:
	$(SWIFT) build $(REWRITER) --build-tests $(CHECKS)

test: test-libraries test-command test-examples test-rewriter browser api  ## run all tests, including those in a browser and of the API's description

test-libraries: bootstrap  ## run the tests of the libraries
	$(SWIFT) test $(LIBRARIES) --skip '^(SchedulerSimulation|ClusterSimulation)Tests\.' $(if $(FILTER),--filter '$(FILTER)')
	@echo 'The scheduler, simulated with 2,000 seeds, alone on the machine:'
	$(SWIFT) test $(LIBRARIES) --skip-build --filter '^SchedulerSimulationTests\.'
	@echo 'Several schedulers over one database, simulated with 1,000 seeds, alone on the machine:'
	$(SWIFT) test $(LIBRARIES) --skip-build --filter '^ClusterSimulationTests\.'
	SWIFT="$(SWIFT)" Scripts/calendar-tests --seconds 15

test-command: bootstrap  ## run the tests of the daemon and the command
	$(SWIFT) test $(COMMAND) $(if $(FILTER),--filter '$(FILTER)')

test-examples: bootstrap  ## run the tests of the sample apps and of the documents
	$(SWIFT) test $(EXAMPLES) $(if $(FILTER),--filter '$(FILTER)')

test-rewriter: OPTIMIZE_APUS =
test-rewriter:  ## run the tests of the plugin RewriteObjC, with swift-syntax
	$(SWIFT) test $(REWRITER) $(if $(FILTER),--filter '$(FILTER)')

check: test-check  ## run the unit tests of timers, calendars, background, phone, jobs and SQLite: no browser, PostgreSQL or HTTP

# Those of PARTS. `make help` lists them.
$(patsubst %,test-%,$(filter-out $(OPTIMIZED_PARTS),$(PARTS))): OPTIMIZE_APUS =
test-%:
	$(if $(part_$*),,$(error there is no part '$*'; the parts are: $(PARTS)))
	@$(if $(filter ApusLinuxTests,$(part_$*)),$(BOOTSTRAP),$(if $(filter ApusSQLiteTests,$(part_$*)),$(BOOTSTRAP) store))
	APUS_ONLY='$(part_$*)' $(SWIFT) test --traits $(or $(trait_$*),SQLite) --scratch-path .build/parts/$(or $(trait_$*),SQLite)$(if $(OPTIMIZE_APUS),-optimized) $(if $(FILTER),--filter '$(FILTER)')

test-release: bootstrap  ## run the tests of the libraries in a release build; RELEASED="ApusJobsTests ApusDeviceTests" is some of them
	$(if $(RELEASED),APUS_ONLY='$(RELEASED)') $(SWIFT) test $(RELEASE_LIBRARIES) --skip '^(SchedulerSimulation|ClusterSimulation)Tests\.' $(if $(FILTER),--filter '$(FILTER)')

browser: bootstrap  ## run the tests in a browser only; their pictures are in .build/browser
	SWIFT="$(SWIFT)" Scripts/browser-tests

api: bootstrap  ## test a daemon against docs/openapi.yaml, with generated requests
	SWIFT="$(SWIFT)" Scripts/api-tests

c-checks: bootstrap  ## call the C modules' functions under the sanitizers of addresses and undefined behaviour; try to break the process clock
	Scripts/c-checks

clock:  ## compile apus-clock, which runs any program in virtual time, into .build/clock
	Scripts/clock .build/clock

clock-programs: bootstrap  ## run a day of the timers of CPython, Node, Java, Ruby and asio under apus-clock, 20 times each
	Scripts/bootstrap clock
	Scripts/clock-programs --all

docs: bootstrap  ## build the documentation of the products as a static site in .build-docs/site, and check it
	SWIFT="$(SWIFT)" Scripts/documentation

tutorials: bootstrap  ## do the tutorials of the documentation, each from an empty folder, and compare what they print
	Scripts/tutorials

pictures: browser  ## take the documents' pictures again
	cp .build/browser/sleepless-completion-1440-light.png docs/pictures/sleepless.png
	cp .build/browser/dashboard-jobs-1440-light.png docs/pictures/dashboard.png

lint:  ## check format and documentation rules, the map of the modules, and the table of limits
	$(SWIFT) format lint --strict --recursive $(SOURCES)
	SWIFT="$(SWIFT)" Scripts/modules --check
	Scripts/limits --check

format:  ## format the sources in place
	$(SWIFT) format --in-place --recursive $(SOURCES)

bench: bootstrap  ## measure the timers, durable jobs, the daemon and the command beside their peers, in release
	$(call programs,-c release)
	$(SWIFT) build -c release $(BENCHMARKS) --product timer-bench
	$(SWIFT) build -c release $(BENCHMARKS) --product jobs-bench
	@apus="$$($(SWIFT) build $(COMMAND) -c release --show-bin-path)/apus"; \
	benches="$$($(SWIFT) build -c release $(BENCHMARKS) --show-bin-path)"; \
	printf '\nThe timers:\n' && "$$benches/timer-bench" --json Benchmarks/results.json && \
	printf '\nDurable jobs:\n' && "$$benches/jobs-bench" --apus "$$apus" --million --peers Benchmarks/peers/peers.py \
		--json Benchmarks/jobs-results.json

release: bootstrap  ## compile the daemon and the command with optimization, as make install does
	$(call programs,-c release)

bench-build: bootstrap  ## compile the benchmarks for debugging, in the build that the tests use
	$(SWIFT) build $(BENCHMARKS)

bench-dashboard: bootstrap  ## measure the dashboard's page in a browser, with ten thousand jobs
	SWIFT="$(SWIFT)" Scripts/browser-tests bench_dashboard

bench-sleepless: bootstrap  ## measure how soon the page of Sleepless answers at 3600 times real time, for ten minutes
	SWIFT="$(SWIFT)" Scripts/browser-tests bench_sleepless

bench-calendar: bootstrap  ## measure the search of schedules beside croniter, a search as cron libraries have it, and Foundation
	$(SWIFT) build -c release $(BENCHMARKS) --product calendar-bench
	@"$$($(SWIFT) build -c release $(BENCHMARKS) --show-bin-path)/calendar-bench" \
		--peer Benchmarks/peers/croniter_peer.py --json Benchmarks/calendar-results.json

bench-cluster: bootstrap  ## measure nodes that share a PostgreSQL beside pgbench, a plain queue and procrastinate, LONG=60 s held open
	$(SWIFT) build -c release $(BENCHMARKS) --product cluster-bench
	@bin="$$($(SWIFT) build -c release $(BENCHMARKS) --show-bin-path)"; \
	"$$bin/cluster-bench" --peer Benchmarks/peers/procrastinate_peer.py --long $(LONG) \
		--json Benchmarks/cluster-results.json $(CLUSTER)

tsan-build: bootstrap  ## compile what make tsan and make stress run under the thread sanitizer
	APUS_ONLY='$(RACED)' $(SWIFT) build $(TSAN_LIBRARIES) --build-tests
	$(SWIFT) build $(TSAN_COMMAND) --build-tests

tsan: bootstrap  ## run the tests of timers, jobs and the daemon under the thread sanitizer
	rm -rf .build-tsan/reports && mkdir -p .build-tsan/reports
	APUS_ONLY='$(RACED)' TSAN_OPTIONS="$(TSAN_OPTIONS)" $(SWIFT) test $(TSAN_LIBRARIES) --skip '$(NOT_RACED)'
	TSAN_OPTIONS="$(TSAN_OPTIONS)" $(SWIFT) test $(TSAN_COMMAND) --skip '$(NOT_RACED)'
	Scripts/check-races .build-tsan/reports

stress: bootstrap  ## race producers, cancellations and fires for 30 s, with and without the thread sanitizer
	$(SWIFT) build $(LIBRARIES) --product ApusTimerStress
	"$$($(SWIFT) build $(LIBRARIES) --show-bin-path)/ApusTimerStress" $(STRESS_SECONDS)
	rm -rf .build-tsan/reports && mkdir -p .build-tsan/reports
	APUS_ONLY='$(RACED)' $(SWIFT) build $(TSAN_LIBRARIES) --product ApusTimerStress
	TSAN_OPTIONS="$(TSAN_OPTIONS)" \
	"$$(APUS_ONLY='$(RACED)' $(SWIFT) build $(TSAN_LIBRARIES) --show-bin-path)/ApusTimerStress" $(STRESS_SECONDS)
	Scripts/check-races .build-tsan/reports

torture: bootstrap  ## kill the daemon KILLS times (200) while jobs are submitted, run and flood; check the promises
	$(call programs,-c release)
	$(SWIFT) build $(COMMAND) -c release --product ApusTorture
	@bin="$$($(SWIFT) build $(COMMAND) -c release --show-bin-path)"; \
	"$$bin/ApusTorture" --apus "$$bin/apus" --kills $(KILLS) $(TORTURE)

chaos: bootstrap  ## break a cluster of three daemons with NEMESIS (all), ROUNDS times each (1); check the promises
	$(call programs,-c $(CHAOS_BUILD))
	$(SWIFT) build $(COMMAND) -c $(CHAOS_BUILD) --product ChaosEffect
	$(SWIFT) build $(COMMAND) -c $(CHAOS_BUILD) --product ApusChaos
	@bin="$$($(SWIFT) build $(COMMAND) -c $(CHAOS_BUILD) --show-bin-path)"; \
	"$$bin/ApusChaos" $(NEMESIS) --rounds $(ROUNDS) $(CHAOS)

simulate: bootstrap  ## simulate the scheduler with SEEDS seeds (10000), beginning with FIRST (1); shorten and print a failure
	$(SWIFT) build $(COMMAND) -c release --product ApusSimulation
	@bin="$$($(SWIFT) build $(COMMAND) -c release --show-bin-path)"; \
	SWIFT_DETERMINISTIC_HASHING=1 "$$bin/ApusSimulation" --seeds $(SEEDS) --first $(FIRST) $(SIMULATE)

calendar: bootstrap  ## compare schedules with systemd, croniter, dateutil and java.time for CALENDAR_SECONDS (600), from CALENDAR_SEED on, after the first CALENDAR_SKIP changes
	SWIFT="$(SWIFT)" Scripts/calendar-tests --seconds $(CALENDAR_SECONDS) $(if $(CALENDAR_SEED),--seed $(CALENDAR_SEED)) $(if $(CALENDAR_SKIP),--skip $(CALENDAR_SKIP))

fuzz: bootstrap  ## fuzz the parsers of schedules and of zone files for FUZZ_SECONDS (600) each; FUZZ names some of them
	@for target in $(FUZZ); do Scripts/fuzz $$target $(FUZZ_SECONDS) || exit 1; done

explore: bootstrap  ## let a random user explore Sleepless and the apps of tutorials with EXPLORE_SEEDS seeds (1000) each
	$(SWIFT) build $(LIBRARIES) --build-tests
	$(SWIFT) build $(EXAMPLES) --build-tests
	SWIFT="$(SWIFT)" Scripts/explore $(EXPLORE_SEEDS)

timelines: bootstrap  ## write a month of an app under the rules of three iOS releases as pages into .build/timelines
	APUS_TIMELINES=.build/timelines $(SWIFT) test $(LIBRARIES) --filter '^ApusDeviceTests\.ReleaseMonthTests'
	@ls .build/timelines/*.html

mutants: bootstrap  ## break the scheduler in chosen ways, and require that the simulation finds each
	SWIFT="$(SWIFT)" Scripts/mutants $(MUTANTS)

install: bootstrap-build  ## build the command with Swift's runtime inside, and install it under PREFIX (/usr/local), with manual pages, completions and a user unit
	SWIFT="$(SWIFT)" Scripts/install "$(PREFIX)" "$(DESTDIR)"

deb: bootstrap-build  ## make a Debian package of the same, in .build; DEB_MAINTAINER="NAME <ADDRESS>" is its maintainer
	SWIFT="$(SWIFT)" Scripts/deb

bootstrap:
	@$(BOOTSTRAP)

bootstrap-build:
	@$(BOOTSTRAP) build

clean:  ## remove everything that was built
	rm -rf .build .build-tsan .build-docs

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo "  make test-PART       run the tests of one part alone, those that match FILTER: $(PARTS)"
