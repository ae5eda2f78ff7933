// A day of asio's timers: one of a minute that is set again from its deadline, and one of a day on the wall clock.
#include <asio.hpp>
#include <chrono>
#include <iostream>

int main() {
    using namespace std::chrono;
    asio::io_context context;
    const auto begin = steady_clock::now();
    const auto wall = system_clock::now();
    const auto since = [&] { return duration_cast<nanoseconds>(steady_clock::now() - begin).count(); };
    asio::steady_timer minutes(context, begin + 1min);
    int ticks = 0;
    std::function<void(std::error_code)> tick = [&](std::error_code error) {
        if (error) throw std::system_error(error);
        if (++ticks == 1440) {
            std::cout << "steady_timer: " << ticks << " ticks, " << since() << " ns" << std::endl;
            return;
        }
        minutes.expires_at(minutes.expiry() + 1min);
        minutes.async_wait(tick);
    };
    minutes.async_wait(tick);
    asio::system_timer day(context, wall + 24h);
    day.async_wait([&](std::error_code) { std::cout << "system_timer: " << since() << " ns" << std::endl; });
    context.run();
}
