package io.delayqueue.actuate;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What there is to see, with the parameters that each takes. */
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
    LETTER("topic, letter"),
    /** What comes due when. */
    UPCOMING("topic, span, buckets");

    private final String parameters;

    View(String parameters) {
        this.parameters = parameters;
    }

    static View named(String path) {
        return Stream.of(values())
                .filter(view -> view.path().equals(path))
                .findFirst()
                .orElseThrow(() -> NotAnsweredException.notFound("There is no view '" + path + "', but "
                        + Stream.of(values()).map(View::path).collect(Collectors.joining(", ")) + "."));
    }

    String path() {
        return name().toLowerCase(Locale.ROOT);
    }

    List<String> parameters() {
        return List.of(parameters.split(", "));
    }
}
