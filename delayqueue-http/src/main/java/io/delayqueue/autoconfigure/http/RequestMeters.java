package io.delayqueue.autoconfigure.http;

import io.delayqueue.management.guard.Client;
import io.delayqueue.web.guard.RejectionReason;
import io.delayqueue.web.guard.RequestFacts;
import io.delayqueue.web.waiting.LongPolls;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/** Counts and times the requests to the HTTP interfaces. Thread-safe. */
final class RequestMeters {

    private static final int FAILED = 500;

    private final MeterRegistry registry;
    private final LongSupplier nanoTime;
    private final Map<TimerKey, Timer> timers = new ConcurrentHashMap<>();
    private final Map<CounterKey, Counter> counters = new ConcurrentHashMap<>();

    /** The tags of a timer. */
    private record TimerKey(String name, String operation, int statusClass, String client) {}

    /** The tags of a counter. */
    private record CounterKey(String client, RejectionReason reason) {}

    /**
     * Registers the gauges, and the counters of all clients, so that they exist with the value 0.
     *
     * @param clients names of the configured clients
     * @param nanoTime the monotonic clock, in nanoseconds
     */
    RequestMeters(MeterRegistry registry, Collection<String> clients, LongPolls polls, LongSupplier nanoTime) {
        this.registry = registry;
        this.nanoTime = nanoTime;
        Gauge.builder(HttpMeter.WAITING.getName(), polls, LongPolls::waiting)
                .description(HttpMeter.WAITING.description())
                .strongReference(true)
                .register(registry);
        Gauge.builder(HttpMeter.WAITING_MAX.getName(), polls, LongPolls::maxWaiting)
                .description(HttpMeter.WAITING_MAX.description())
                .strongReference(true)
                .register(registry);
        Stream.concat(Stream.of(Client.NO_TAG), clients.stream()).forEach(client -> {
            for (RejectionReason reason : RejectionReason.values()) {
                counter(new CounterKey(client, reason));
            }
        });
    }

    /**
     * Returns a filter that records the requests of an interface.
     *
     * @param name of the interface
     */
    Filter filter(String name) {
        return new RecordingFilter(this, name);
    }

    private void record(String name, HttpServletRequest request, int status, long begin) {
        Client client = RequestFacts.client(request);
        String tag = client == null ? Client.NO_TAG : client.tag();
        timer(new TimerKey(name, RequestFacts.operation(request), status / 100, tag))
                .record(nanoTime.getAsLong() - begin, TimeUnit.NANOSECONDS);
        RejectionReason reason = RequestFacts.rejection(request);
        if (reason != null) {
            counter(new CounterKey(tag, reason)).increment();
        }
    }

    private Timer timer(TimerKey key) {
        return timers.computeIfAbsent(
                key,
                absent -> Timer.builder(HttpMeter.REQUESTS.getName())
                        .description(HttpMeter.REQUESTS.description())
                        .tags(HttpMeter.REQUESTS.tags(
                                key.name(), key.operation(), key.statusClass() + "xx", key.client()))
                        .register(registry));
    }

    private Counter counter(CounterKey key) {
        return counters.computeIfAbsent(
                key,
                absent -> Counter.builder(HttpMeter.REJECTED.getName())
                        .description(HttpMeter.REJECTED.description())
                        .tags(HttpMeter.REJECTED.tags(key.client(), key.reason().tag()))
                        .register(registry));
    }

    private static final class RecordingFilter extends HttpFilter {

        private static final long serialVersionUID = 1L;

        private final transient RequestMeters meters;
        private final String name;

        RecordingFilter(RequestMeters meters, String name) {
            this.meters = meters;
            this.name = name;
        }

        @Override
        protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                throws IOException, ServletException {
            long begin = meters.nanoTime.getAsLong();
            boolean returned = false;
            try {
                chain.doFilter(request, response);
                returned = true;
            } finally {
                if (request.isAsyncStarted()) {
                    request.getAsyncContext()
                            .addListener(
                                    new EndListener(() -> meters.record(name, request, response.getStatus(), begin)));
                } else {
                    meters.record(name, request, returned ? response.getStatus() : FAILED, begin);
                }
            }
        }
    }

    private record EndListener(Runnable action) implements AsyncListener {

        @Override
        public void onComplete(AsyncEvent event) {
            action.run();
        }

        @Override
        public void onTimeout(AsyncEvent event) {
            // the request is completed afterwards
        }

        @Override
        public void onError(AsyncEvent event) {
            // the request is completed afterwards
        }

        @Override
        public void onStartAsync(AsyncEvent event) {
            // requests are started once only
        }
    }
}
