package io.delayqueue.coordination;

import io.delayqueue.listener.ListenerStatus;
import io.delayqueue.listener.ListenerStatus.Attempts;
import io.delayqueue.listener.ListenerStatus.RunningHandler;
import io.delayqueue.listener.ListenerStatus.State;
import io.delayqueue.listener.ListenerStatus.Unavailable;
import io.delayqueue.message.FormText;
import io.delayqueue.message.QueueKind;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a node reports with each heartbeat. In Redis it is a text of lines, each of them in the encoding of an HTML form:
 * the first line is the node, each further line a listener.
 *
 * @param host name of the host, or of the pod; empty if it is unknown
 * @param processId id of the process; 0 if it is unknown
 * @param startedAt when the process started, by the clock of the host; 1970 if it is unknown
 * @param listeners the listeners that were started at least once, at most {@value #MAX_LISTENERS}; those with failed
 *     attempts first
 * @param stack the stack that was requested; null if none was requested recently
 */
public record NodeReport(
        String host,
        long processId,
        Instant startedAt,
        List<ListenerStatus> listeners,
        @Nullable HandlerStack stack) {

    /** Listeners of a node that are reported. */
    static final int MAX_LISTENERS = 500;

    /** The report of a node that has sent none, or one that this version cannot read. */
    public static final NodeReport UNKNOWN = new NodeReport("", 0, Instant.EPOCH, List.of(), null);

    /** Selects the listeners to report. */
    public NodeReport {
        listeners = listeners.size() <= MAX_LISTENERS
                ? List.copyOf(listeners)
                : listeners.stream()
                        .sorted(Comparator.comparingLong(
                                listener -> -listener.attempts().failed()))
                        .limit(MAX_LISTENERS)
                        .toList();
    }

    /** Whether the node has a listener. Also true if not all of its listeners are reported. */
    public boolean mayInclude(String topic, String listener) {
        return listeners.size() == MAX_LISTENERS
                || listeners.stream()
                        .anyMatch(each ->
                                each.id().equals(listener) && each.topic().equals(topic));
    }

    /** The name of this host. A container's name is that of its pod. May call the resolver of the operating system. */
    public static String thisHost() {
        for (String variable : List.of("HOSTNAME", "COMPUTERNAME")) {
            String name = System.getenv(variable);
            if (name != null && !name.isBlank()) {
                return name;
            }
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "";
        }
    }

    String write() {
        StringBuilder text = new StringBuilder();
        FormText.append(text, "host", host);
        FormText.append(text, "pid", processId);
        FormText.append(text, "started", startedAt.toEpochMilli());
        if (stack != null) {
            write(text, stack);
        }
        for (ListenerStatus listener : listeners) {
            text.append('\n');
            write(text, listener);
        }
        return text.toString();
    }

    private static void write(StringBuilder text, HandlerStack stack) {
        FormText.append(text, "stack", stack.listener());
        RunningHandler handler = stack.handler();
        if (handler != null) {
            append(text, handler);
        }
        FormText.append(text, "frames", String.join("\n", stack.frames()));
    }

    private static void append(StringBuilder text, RunningHandler handler) {
        FormText.append(text, "message", handler.id());
        FormText.append(text, "attempt", handler.attempt());
        FormText.append(text, "time", handler.time().toMillis());
    }

    private static void write(StringBuilder text, ListenerStatus listener) {
        FormText.append(text, "id", listener.id());
        FormText.append(text, "topic", listener.topic());
        FormText.append(text, "kind", listener.kind());
        FormText.append(text, "state", listener.state());
        FormText.append(text, "running", listener.running());
        FormText.append(text, "concurrency", listener.concurrency());
        Unavailable unavailable = listener.unavailable();
        if (unavailable != null) {
            FormText.append(text, "unavailable", unavailable.failure());
            FormText.append(text, "unavailableFor", unavailable.time().toMillis());
        }
        RunningHandler oldest = listener.oldest();
        if (oldest != null) {
            append(text, oldest);
        }
        Attempts attempts = listener.attempts();
        if (attempts.all() > 0 || attempts.failure() != null) {
            FormText.append(text, "succeeded", attempts.succeeded());
            FormText.append(text, "retried", attempts.retried());
            FormText.append(text, "dead", attempts.dead());
            FormText.append(text, "handling", attempts.handling().toMillis());
        }
        String failure = attempts.failure();
        if (failure != null) {
            FormText.append(text, "failure", failure);
            FormText.append(text, "failing", attempts.failing().toMillis());
        }
        Duration sinceSuccess = attempts.sinceSuccess();
        if (sinceSuccess != null) {
            FormText.append(text, "sinceSuccess", sinceSuccess.toMillis());
        }
        append(text, "usual", listener.usual());
        append(text, "youngest", listener.youngest());
        if (!listener.byHeader().isEmpty()) {
            StringBuilder values = new StringBuilder();
            listener.byHeader()
                    .forEach((value, each) -> values.append(each.succeeded())
                            .append(' ')
                            .append(each.retried())
                            .append(' ')
                            .append(each.dead())
                            .append(' ')
                            .append(value)
                            .append('\n'));
            FormText.append(text, "byHeader", values);
        }
    }

    private static void append(StringBuilder text, String name, Duration time) {
        if (!time.isZero()) {
            FormText.append(text, name, time.toMillis());
        }
    }

    /** The part of a listener's line that names its queue. */
    static String queue(String topic, QueueKind kind) {
        StringBuilder text = new StringBuilder();
        FormText.append(text, "topic", topic);
        FormText.append(text, "kind", kind);
        return text.toString();
    }

    /**
     * Reads the line of a listener, or the part from its {@link #queue} on.
     *
     * @throws IllegalArgumentException if this version cannot read it
     */
    static ListenerStatus readListener(String line) {
        return listener(FormText.read(line));
    }

    /** Reads a report. A report that this version cannot read is unknown. */
    static NodeReport read(String text) {
        try {
            String[] lines = text.split("\n", -1);
            Map<String, String> node = FormText.read(lines[0]);
            List<ListenerStatus> listeners = new ArrayList<>();
            for (int i = 1; i < lines.length; i++) {
                listeners.add(readListener(lines[i]));
            }
            return new NodeReport(
                    node.getOrDefault("host", ""),
                    number(node, "pid"),
                    Instant.ofEpochMilli(number(node, "started")),
                    listeners,
                    stack(node));
        } catch (IllegalArgumentException e) {
            return UNKNOWN;
        }
    }

    private static @Nullable HandlerStack stack(Map<String, String> node) {
        String listener = node.get("stack");
        return listener == null
                ? null
                : new HandlerStack(
                        listener,
                        handler(node),
                        node.getOrDefault("frames", "").lines().toList());
    }

    private static @Nullable RunningHandler handler(Map<String, String> fields) {
        String message = fields.get("message");
        return message == null
                ? null
                : new RunningHandler(message, (int) number(fields, "attempt"), millis(fields, "time"));
    }

    private static ListenerStatus listener(Map<String, String> fields) {
        String unavailable = fields.get("unavailable");
        return new ListenerStatus(
                fields.getOrDefault("id", ""),
                fields.getOrDefault("topic", ""),
                QueueKind.valueOf(fields.getOrDefault("kind", "")),
                State.valueOf(fields.getOrDefault("state", "")),
                (int) number(fields, "running"),
                (int) number(fields, "concurrency"),
                unavailable == null ? null : new Unavailable(unavailable, millis(fields, "unavailableFor")),
                handler(fields),
                new Attempts(
                        number(fields, "succeeded"),
                        number(fields, "retried"),
                        number(fields, "dead"),
                        millis(fields, "handling"),
                        fields.get("failure"),
                        millis(fields, "failing"),
                        fields.containsKey("sinceSuccess") ? millis(fields, "sinceSuccess") : null),
                millis(fields, "usual"),
                millis(fields, "youngest"),
                byHeader(fields.getOrDefault("byHeader", "")));
    }

    private static SortedMap<String, Attempts> byHeader(String lines) {
        SortedMap<String, Attempts> values = new TreeMap<>();
        lines.lines().forEach(line -> {
            String[] parts = line.split(" ", 4);
            if (parts.length == 4) {
                values.put(
                        parts[3],
                        Attempts.counted(Long.parseLong(parts[0]), Long.parseLong(parts[1]), Long.parseLong(parts[2])));
            }
        });
        return values;
    }

    private static Duration millis(Map<String, String> fields, String name) {
        return Duration.ofMillis(number(fields, name));
    }

    private static long number(Map<String, String> fields, String name) {
        return Long.parseLong(fields.getOrDefault(name, "0"));
    }
}
