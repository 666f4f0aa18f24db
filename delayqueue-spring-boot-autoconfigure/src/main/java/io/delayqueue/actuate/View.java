package io.delayqueue.actuate;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The views of the endpoint, with their parameters. */
enum View {
    /** A topic. */
    TOPIC("topic"),
    /** Live messages, in pages. */
    MESSAGES("topic, state, count, page"),
    /** A live message. */
    MESSAGE("topic, id"),
    /** Dead letters, in pages. */
    DEAD("topic, count, page"),
    /** A dead letter. */
    DEAD_LETTER("topic, deadLetter"),
    /** The number of messages that become due, by time. */
    UPCOMING("topic, span, buckets");

    private final String parameters;

    View(String parameters) {
        this.parameters = parameters;
    }

    static View named(String path) {
        return Stream.of(values())
                .filter(view -> view.path().equals(path))
                .findFirst()
                .orElseThrow(() -> RejectedRequestException.notFound("Unknown view '" + path + "'. Views: "
                        + Stream.of(values()).map(View::path).collect(Collectors.joining(", ")) + "."));
    }

    String path() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    List<String> parameters() {
        return List.of(parameters.split(", "));
    }
}
