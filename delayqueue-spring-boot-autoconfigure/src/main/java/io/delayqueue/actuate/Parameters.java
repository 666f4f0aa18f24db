package io.delayqueue.actuate;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/** The parameters of one request, as texts. Whatever is wrong with one is said in a sentence that names it. */
final class Parameters {

    private final String taker;
    private final Map<String, String> given = new TreeMap<>();

    /**
     * None yet.
     *
     * @param taker what takes them, as in "the view 'topic'"
     */
    Parameters(String taker) {
        this.taker = taker;
    }

    Parameters with(String name, @Nullable String value) {
        if (value != null) {
            given.put(name, value);
        }
        return this;
    }

    /** One that isn't taken was meant to narrow down what happens. */
    Parameters only(List<String> taken) {
        given.keySet().stream()
                .filter(name -> !taken.contains(name))
                .findFirst()
                .ifPresent(name -> {
                    throw NotAnsweredException.badRequest("For " + taker + " there is no parameter '" + name + "', but "
                            + String.join(", ", taken) + ".");
                });
        return this;
    }

    boolean has(String name) {
        return given.containsKey(name);
    }

    @Nullable
    String text(String name) {
        return given.get(name);
    }

    String required(String name) {
        String value = given.get(name);
        if (value == null) {
            throw NotAnsweredException.badRequest("For " + taker + " the parameter '" + name + "' is missing.");
        }
        return value;
    }

    int number(String name, int otherwise, int max) {
        String value = given.get(name);
        if (value == null) {
            return otherwise;
        }
        try {
            int number = Integer.parseInt(value);
            if (number >= 1 && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw wrong(name, "a number from 1 to " + max);
        }
        throw wrong(name, "a number from 1 to " + max);
    }

    boolean flag(String name, boolean otherwise) {
        String value = given.get(name);
        if (value == null) {
            return otherwise;
        }
        if (value.equals("true") || value.equals("false")) {
            return Boolean.parseBoolean(value);
        }
        throw wrong(name, "true or false");
    }

    Duration duration(String name) {
        try {
            return DurationStyle.detectAndParse(required(name));
        } catch (IllegalArgumentException | ArithmeticException | DateTimeException e) {
            throw wrong(name, "a length of time such as PT10M, 10m or 600000 (ms)");
        }
    }

    Instant instant(String name) {
        try {
            return Instant.parse(required(name));
        } catch (DateTimeException e) {
            throw wrong(name, "a date such as 2030-01-31T12:00:00Z");
        }
    }

    NotAnsweredException wrong(String name, String expected) {
        return NotAnsweredException.badRequest(
                "The parameter '" + name + "' is " + expected + ", but not '" + given.get(name) + "'.");
    }
}
