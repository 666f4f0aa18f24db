package io.delayqueue.actuate;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/** The parameters of one request as strings. The message of a rejection names the parameter. */
final class Parameters {

    private final String operation;
    private final Map<String, String> given = new TreeMap<>();

    /**
     * Creates an empty set of parameters.
     *
     * @param operation the view or action, as in "The view 'topic'"
     */
    Parameters(String operation) {
        this.operation = operation;
    }

    Parameters with(String name, @Nullable String value) {
        if (value != null) {
            given.put(name, value);
        }
        return this;
    }

    /** Rejects other parameters, because they may have been meant to restrict the operation. */
    Parameters only(List<String> known) {
        given.keySet().stream()
                .filter(name -> !known.contains(name))
                .findFirst()
                .ifPresent(name -> {
                    throw RejectedRequestException.badRequest(operation + " has no parameter '" + name
                            + "'. Parameters: " + String.join(", ", known) + ".");
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
            throw RejectedRequestException.badRequest(operation + " requires the parameter '" + name + "'.");
        }
        return value;
    }

    int number(String name, int defaultValue, int max) {
        String value = given.get(name);
        if (value == null) {
            return defaultValue;
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

    boolean flag(String name, boolean defaultValue) {
        String value = given.get(name);
        if (value == null) {
            return defaultValue;
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
            throw wrong(name, "a duration such as PT10M, 10m or 600000 (ms)");
        }
    }

    Instant instant(String name) {
        try {
            return Instant.parse(required(name));
        } catch (DateTimeException e) {
            throw wrong(name, "an instant such as 2030-01-31T12:00:00Z");
        }
    }

    RejectedRequestException wrong(String name, String expected) {
        return RejectedRequestException.badRequest(
                "The parameter '" + name + "' must be " + expected + ", but was '" + given.get(name) + "'.");
    }
}
