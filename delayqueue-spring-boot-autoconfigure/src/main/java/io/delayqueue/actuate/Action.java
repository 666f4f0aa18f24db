package io.delayqueue.actuate;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The actions of the endpoint, with their parameters. */
enum Action {
    /** Cancels a message. */
    CANCEL("topic, id"),
    /** Changes the due time of a scheduled message. */
    RESCHEDULE("topic, id, delay, dueAt"),
    /** Makes a scheduled message due. */
    RUN("topic, id"),
    /** Replays a dead letter: its message is due at once. */
    REPLAY("topic, deadLetter"),
    /** Replays all dead letters of a topic. */
    REPLAY_ALL("topic"),
    /** Removes a dead letter permanently. */
    PURGE("topic, deadLetter"),
    /** Removes all dead letters of a topic permanently. */
    PURGE_ALL("topic"),
    /** Deletes an empty topic. */
    DELETE_TOPIC("topic"),
    /** Pauses a listener on this node or a topic on all nodes. */
    PAUSE("listener, topic"),
    /** Resumes a listener on this node or a topic on all nodes. */
    RESUME("listener, topic");

    private final String parameters;

    Action(String parameters) {
        this.parameters = parameters;
    }

    static Action named(String path) {
        return Stream.of(values())
                .filter(action -> action.path().equals(path))
                .findFirst()
                .orElseThrow(() -> RejectedRequestException.notFound("Unknown action '" + path + "'. Actions: "
                        + Stream.of(values()).map(Action::path).collect(Collectors.joining(", ")) + "."));
    }

    String path() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    List<String> parameters() {
        return List.of(parameters.split(", "));
    }
}
