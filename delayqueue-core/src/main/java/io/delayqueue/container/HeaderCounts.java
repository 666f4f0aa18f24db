package io.delayqueue.container;

import io.delayqueue.listener.ListenerStatus;
import io.delayqueue.listener.ListenerStatus.Attempts;
import io.delayqueue.message.Printable;
import io.delayqueue.store.Settlement;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Counts attempts by the value of a header in periods of equal length. Its memory is bounded: when it counts {@value #MAX}
 * values, further ones are counted together. Not thread-safe.
 */
final class HeaderCounts {

    /** More values than are reported, so that those with the most failures are. */
    private static final int MAX = 200;

    private static final int MAX_LENGTH = 64;
    private static final String OTHER = "(other)";

    private final String header;
    private final int periods;
    private final Map<String, Deque<Period>> values = new HashMap<>();

    /** The attempts of one period. */
    static class Period {
        final long number;
        long succeeded;
        long retried;
        long dead;

        Period(long number) {
            this.number = number;
        }

        void count(Settlement settlement) {
            if (settlement instanceof Settlement.Retry) {
                retried++;
            } else if (settlement instanceof Settlement.ToDeadLetters) {
                dead++;
            } else {
                succeeded++;
            }
        }
    }

    /**
     * Creates counts.
     *
     * @param periods number of the last periods that count
     */
    HeaderCounts(String header, int periods) {
        this.header = header;
        this.periods = periods;
    }

    /** Counts an attempt at a message in the current period. A message without the header is not counted. */
    void settled(Settlement settlement, Map<String, String> headers, long period) {
        String value = headers.get(header);
        if (value != null) {
            period(text(value), period).count(settlement);
        }
    }

    private static String text(String value) {
        int end = Math.min(value.length(), MAX_LENGTH);
        return Printable.of(
                value.substring(0, end > 0 && Character.isHighSurrogate(value.charAt(end - 1)) ? end - 1 : end));
    }

    private Period period(String value, long number) {
        if (!values.containsKey(value) && values.size() >= MAX) {
            forget(number);
        }
        Deque<Period> counted = values.computeIfAbsent(
                values.containsKey(value) || values.size() < MAX ? value : OTHER, absent -> new ArrayDeque<>());
        Period last = counted.peekLast();
        if (last == null || last.number != number) {
            last = new Period(number);
            counted.addLast(last);
            if (counted.size() > periods) {
                counted.removeFirst();
            }
        }
        return last;
    }

    private void forget(long number) {
        values.values().forEach(counted -> counted.removeIf(each -> each.number <= number - periods));
        values.values().removeIf(Deque::isEmpty);
    }

    /** Sums up the last periods: the values with the most failures, and the others together. */
    SortedMap<String, Attempts> sums(long period) {
        forget(period);
        List<Map.Entry<String, Attempts>> all = values.entrySet().stream()
                .map(each -> Map.entry(each.getKey(), sum(each.getValue())))
                .sorted(Comparator.comparingLong((Map.Entry<String, Attempts> each) ->
                                -each.getValue().failed())
                        .thenComparing(each -> -each.getValue().all())
                        .thenComparing(Map.Entry::getKey))
                .toList();
        SortedMap<String, Attempts> sums = new TreeMap<>();
        int left = ListenerStatus.MAX_VALUES;
        for (Map.Entry<String, Attempts> each : all) {
            boolean alone = !each.getKey().equals(OTHER) && left-- > 0;
            sums.merge(header + '=' + (alone ? each.getKey() : OTHER), each.getValue(), Attempts::plus);
        }
        return sums;
    }

    static Attempts sum(Collection<? extends Period> counted) {
        return Attempts.counted(
                counted.stream().mapToLong(each -> each.succeeded).sum(),
                counted.stream().mapToLong(each -> each.retried).sum(),
                counted.stream().mapToLong(each -> each.dead).sum());
    }
}
