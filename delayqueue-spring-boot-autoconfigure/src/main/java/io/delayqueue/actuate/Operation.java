package io.delayqueue.actuate;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** The views and actions of the endpoint, with their parameters. */
enum Operation {
    /** A topic. */
    TOPIC("topic"),
    /** Live messages, in pages. */
    MESSAGES("topic", "state", "count", "page"),
    /** A live message. */
    MESSAGE("topic", "id"),
    /** The live messages of an id in all topics. */
    FIND("id"),
    /** Dead letters, in pages. */
    DEAD("topic", "count", "page"),
    /** A dead letter. */
    DEAD_LETTER("topic", "deadLetter"),
    /** Dead letters by kind. */
    DEAD_GROUPS("topic", "count"),
    /** The jobs of the last day. */
    JOBS,
    /** The number of messages that become due, by time. */
    UPCOMING("topic", "span", "buckets"),
    /** The number of handlers that a topic needs. */
    FORECAST("topic"),
    /** The keys of an ordered topic that wait longest. */
    SLOWEST_KEYS("topic"),
    /** Schedules, in pages. */
    SCHEDULES("topic", "count", "page"),
    /** A schedule. */
    SCHEDULE("topic", "id"),
    /** The stack of the oldest handler of a listener on a node. */
    STACK("node", "listener"),

    /** Cancels a message. */
    CANCEL("topic", "id"),
    /** Changes the due time of a scheduled message. */
    RESCHEDULE("topic", "id", "delay", "dueAt"),
    /** Makes a scheduled message due. */
    RUN("topic", "id"),
    /** Replays a dead letter: its message is due at once. */
    REPLAY("topic", "deadLetter"),
    /** Removes a dead letter permanently. */
    PURGE("topic", "deadLetter"),
    /** Marks the dead letters of a topic as reviewed. */
    REVIEW("topic"),
    /** Acts on many messages or dead letters of a topic, or at a later time. */
    START_JOB(
            "action",
            "topic",
            "cause",
            "exceptionType",
            "shape",
            "from",
            "until",
            "delay",
            "perSecond",
            "target",
            "startAt",
            "preview"),
    /** Stops a job. */
    STOP_JOB("job"),
    /** Deletes an empty topic. */
    DELETE_TOPIC("topic"),
    /** Sets the limits of a topic at run time. */
    LIMIT("topic", "maxConcurrent", "maxConcurrentPerKey", "rate", "rateBurst", "maxMessages", "none"),
    /** Removes the limits of a topic that were set at run time, or those that nodes declared. */
    CLEAR_LIMITS("topic", "declared"),
    /** Lifts the hold of a topic that a message asked for. */
    LIFT_HOLD("topic"),
    /** Releases the leases that an HTTP client, or the application of a node, holds. */
    RELEASE("client", "node", "topic"),
    /** Sends the message of a schedule once. */
    RUN_SCHEDULE("topic", "id"),
    /** Pauses a schedule. */
    PAUSE_SCHEDULE("topic", "id"),
    /** Resumes a schedule. */
    RESUME_SCHEDULE("topic", "id"),
    /** Removes a schedule. */
    REMOVE_SCHEDULE("topic", "id"),
    /** Pauses one listener of a topic or all of them, on one node or all of them. */
    PAUSE("topic", "listener", "node"),
    /** Ends such a pause. */
    RESUME("topic", "listener", "node");

    static final Set<Operation> VIEWS = EnumSet.range(TOPIC, STACK);

    static final Set<Operation> ACTIONS = EnumSet.range(CANCEL, RESUME);

    @SuppressWarnings("ImmutableEnumChecker") // List.of is immutable, which its type does not say
    private final List<String> parameters;

    Operation(String... parameters) {
        this.parameters = List.of(parameters);
    }

    static Operation view(String path) {
        return find(VIEWS, path, "Unknown view '" + path + "'. Views: ");
    }

    static Operation action(String path) {
        return find(ACTIONS, path, "Unknown action '" + path + "'. Actions: ");
    }

    private static Operation find(Set<Operation> operations, String path, String problem) {
        return operations.stream()
                .filter(operation -> operation.path().equals(path))
                .findFirst()
                .orElseThrow(() -> RejectedRequestException.notFound(
                        problem + operations.stream().map(Operation::path).collect(Collectors.joining(", ")) + "."));
    }

    String path() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    List<String> parameters() {
        return parameters;
    }
}
