package io.delayqueue.actuate;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What there is to do, with the parameters that each takes. */
enum Action {
    /** Withdraws a message. */
    CANCEL("topic, id"),
    /** Moves a scheduled message. */
    RESCHEDULE("topic, id, delay, dueAt"),
    /** Makes a scheduled message due. */
    RUN("topic, id"),
    /** Schedules a dead letter's message anew. */
    REPLAY("topic, letter"),
    /** Schedules those of all dead letters anew. */
    REPLAY_ALL("topic"),
    /** Removes a dead letter. */
    PURGE("topic, letter"),
    /** Removes all dead letters. */
    PURGE_ALL("topic"),
    /** Removes a topic that holds nothing. */
    DELETE_TOPIC("topic"),
    /** Pauses a listener here, or a topic everywhere. */
    PAUSE("listener, topic"),
    /** Ends a pause. */
    RESUME("listener, topic");

    private final String parameters;

    Action(String parameters) {
        this.parameters = parameters;
    }

    static Action named(String path) {
        return Stream.of(values())
                .filter(action -> action.path().equals(path))
                .findFirst()
                .orElseThrow(() -> NotAnsweredException.notFound("There is no action '" + path + "', but "
                        + Stream.of(values()).map(Action::path).collect(Collectors.joining(", ")) + "."));
    }

    String path() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    List<String> parameters() {
        return List.of(parameters.split(", "));
    }
}
