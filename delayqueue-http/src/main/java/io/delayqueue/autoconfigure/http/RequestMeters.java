package io.delayqueue.autoconfigure.http;

import io.delayqueue.management.guard.Client;
import io.delayqueue.metrics.DelayQueueMeters;
import io.delayqueue.metrics.MeterGroup;
import io.delayqueue.web.guard.RejectionReason;
import io.delayqueue.web.guard.RequestFacts;
import io.delayqueue.web.waiting.LongPolls;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/** Counts and times the requests to the HTTP interfaces. Thread-safe. */
final class RequestMeters {

    private static final int FAILED = 500;

    private final MeterRegistry registry;
    private final LongSupplier nanoTime;
    private final Map<List<String>, MeterGroup> groups = new ConcurrentHashMap<>();

    /**
     * Registers the gauges, and the counters of all clients, so that they exist with the value 0.
     *
     * @param clients names of the configured clients
     * @param nanoTime the monotonic clock, in nanoseconds
     */
    RequestMeters(MeterRegistry registry, Collection<String> clients, LongPolls polls, LongSupplier nanoTime) {
        this.registry = registry;
        this.nanoTime = nanoTime;
        MeterGroup gauges = new MeterGroup(registry);
        gauges.gauge(DelayQueueMeters.HTTP_WAITING, polls, LongPolls::waiting);
        gauges.gauge(DelayQueueMeters.HTTP_WAITING_MAX, polls, LongPolls::maxWaiting);
        Stream.concat(Stream.of(Client.NO_TAG), clients.stream()).forEach(client -> {
            for (RejectionReason reason : RejectionReason.values()) {
                group(client, reason.tag()).register(DelayQueueMeters.HTTP_REJECTED);
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
        group(name, RequestFacts.operation(request), status / 100 + "xx", tag)
                .time(DelayQueueMeters.HTTP_REQUESTS, Duration.ofNanos(nanoTime.getAsLong() - begin));
        RejectionReason reason = RequestFacts.rejection(request);
        if (reason != null) {
            group(tag, reason.tag()).count(DelayQueueMeters.HTTP_REJECTED);
        }
    }

    private MeterGroup group(String... tags) {
        return groups.computeIfAbsent(List.of(tags), absent -> new MeterGroup(registry, tags));
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
