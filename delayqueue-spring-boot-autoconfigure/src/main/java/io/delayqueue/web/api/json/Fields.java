package io.delayqueue.web.api.json;

import io.delayqueue.web.api.json.Element.Kind;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/**
 * The fields of an object in a body, each of which is asked for by its name; null is as good as absent. Whatever is wrong
 * with one ends in an {@link InvalidBodyException} that names it. Not thread-safe.
 */
public final class Fields {

    private final String where;
    private final Map<String, Element> members;
    private final Set<String> known = new LinkedHashSet<>();

    /**
     * Of an object.
     *
     * @param where what stands before the names of its fields in a sentence
     */
    Fields(String where, Map<String, Element> members) {
        this.where = where;
        this.members = members;
    }

    private @Nullable Element element(String name) {
        known.add(name);
        Element element = members.get(name);
        return element == null || element.isNull() ? null : element;
    }

    /** Whether a field is there, be it null. */
    public boolean has(String name) {
        known.add(name);
        return members.containsKey(name);
    }

    /** A text that UTF-8 can hold. */
    public @Nullable String text(String name) {
        Element element = element(name);
        if (element == null) {
            return null;
        }
        return whole(name, of(Kind.TEXT, name, element, "a text").text());
    }

    /** Strictly, since a replacement character would be a silent loss. */
    private String whole(String name, String text) {
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw new InvalidBodyException(named(name) + " holds half a surrogate pair, which UTF-8 can't hold.");
        }
        return text;
    }

    /** Bytes in Base64. */
    public byte @Nullable [] base64(String name) {
        Element element = element(name);
        if (element == null) {
            return null;
        }
        try {
            return Base64.getDecoder()
                    .decode(of(Kind.TEXT, name, element, "bytes in Base64").text());
        } catch (IllegalArgumentException e) {
            throw wrong(name, element, "bytes in Base64, in one line");
        }
    }

    /** Any value but null, as it was written. */
    public @Nullable JsonText json(String name) {
        Element element = element(name);
        return element == null ? null : new JsonText(element.raw());
    }

    /**
     * A whole number.
     *
     * @param min the least one
     * @param max the largest one
     */
    public @Nullable Integer number(String name, int min, int max) {
        Element element = element(name);
        if (element == null) {
            return null;
        }
        try {
            int number = Integer.parseInt(
                    of(Kind.NUMBER, name, element, numbers(min, max)).raw());
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw wrong(name, element, numbers(min, max));
        }
        throw wrong(name, element, numbers(min, max));
    }

    private static String numbers(int min, int max) {
        return max == Integer.MAX_VALUE
                ? "a whole number of " + min + " or more"
                : "a whole number from " + min + " to " + max;
    }

    /**
     * A length of time: a text such as {@code PT10M} or {@code 10m}, or a whole number of milliseconds.
     *
     * @param min the shortest one
     * @param max the longest one
     */
    public @Nullable Duration duration(String name, Duration min, Duration max) {
        Element element = element(name);
        if (element == null) {
            return null;
        }
        String expected = "a length of time such as \"PT10M\", \"10m\" or 600000 (ms), " + between(min, max);
        if (element.kind() != Kind.NUMBER) {
            of(Kind.TEXT, name, element, expected);
        }
        try {
            Duration duration = element.kind() == Kind.NUMBER
                    ? Duration.ofMillis(Long.parseLong(element.raw()))
                    : DurationStyle.detectAndParse(element.text());
            if (duration.compareTo(min) >= 0 && duration.compareTo(max) <= 0) {
                return duration;
            }
        } catch (IllegalArgumentException | ArithmeticException | DateTimeException e) {
            throw wrong(name, element, expected);
        }
        throw wrong(name, element, expected);
    }

    private static String between(Duration min, Duration max) {
        return "from " + DurationStyle.SIMPLE.print(min) + " to " + DurationStyle.SIMPLE.print(max);
    }

    /** A date with its time zone. */
    public @Nullable Instant date(String name) {
        Element element = element(name);
        if (element == null) {
            return null;
        }
        String expected = "a date such as \"2030-01-31T12:00:00Z\"";
        try {
            return Instant.parse(of(Kind.TEXT, name, element, expected).text());
        } catch (DateTimeException e) {
            throw wrong(name, element, expected);
        }
    }

    /** One of some words: the names of an enumeration in lower case. */
    public <E extends Enum<E>> @Nullable E word(String name, Class<E> words) {
        Element element = element(name);
        if (element == null) {
            return null;
        }
        String expected = Stream.of(words.getEnumConstants())
                .map(word -> '"' + word(word) + '"')
                .collect(Collectors.joining(" or "));
        String given = of(Kind.TEXT, name, element, expected).text();
        return Stream.of(words.getEnumConstants())
                .filter(word -> word(word).equals(given))
                .findFirst()
                .orElseThrow(() -> wrong(name, element, expected));
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /** An object of texts, in its order; empty if it is absent. */
    public Map<String, String> texts(String name) {
        Element element = element(name);
        if (element == null) {
            return Map.of();
        }
        String expected = "an object of texts such as {\"tags\": \"vip\"}";
        Map<String, String> texts = new LinkedHashMap<>();
        Json.members(named(name), of(Kind.OBJECT, name, element, expected).raw())
                .forEach((key, value) -> {
                    String path = name + "." + key;
                    texts.put(
                            whole(path, key),
                            whole(path, of(Kind.TEXT, path, value, "a text").text()));
                });
        return texts;
    }

    /**
     * A list of objects that has to be there.
     *
     * @param max how many there may be at most
     */
    public List<Fields> objects(String name, int max) {
        Element element = element(name);
        String expected = "a list of 1 to " + max + " objects";
        if (element == null) {
            throw missing(name, expected);
        }
        List<Element> elements =
                Json.elements(of(Kind.ARRAY, name, element, expected).raw());
        if (elements.isEmpty() || elements.size() > max) {
            throw new InvalidBodyException(named(name) + " is " + expected + ", but has " + elements.size() + ".");
        }
        List<Fields> objects = new ArrayList<>();
        for (int i = 0; i < elements.size(); i++) {
            String place = where + name + "[" + i + "]";
            Element each = of(Kind.OBJECT, name + "[" + i + "]", elements.get(i), "an object");
            objects.add(new Fields(place + ".", Json.members("The field '" + place + "'", each.raw())));
        }
        return objects;
    }

    /** Ends the reading: what was not asked for is not known. */
    public void end() {
        members.keySet().stream()
                .filter(name -> !known.contains(name))
                .findFirst()
                .ifPresent(name -> {
                    throw new InvalidBodyException("There is no field '" + where + name + "'"
                            + (known.isEmpty() ? ": the body is empty." : ", but " + String.join(", ", known) + "."));
                });
    }

    /** What is wrong with one of the fields. */
    public InvalidBodyException objection(String name, String sentence) {
        return new InvalidBodyException(named(name) + " " + sentence);
    }

    /** What is wrong with the whole object. */
    public InvalidBodyException objection(String sentence) {
        String whole = where.isEmpty() ? "The body" : "The field '" + where.substring(0, where.length() - 1) + "'";
        return new InvalidBodyException(whole + " can't be taken: " + sentence);
    }

    private Element of(Kind kind, String name, Element element, String expected) {
        if (element.kind() != kind) {
            throw wrong(name, element, expected);
        }
        return element;
    }

    private InvalidBodyException missing(String name, String expected) {
        return new InvalidBodyException(named(name) + " is missing: " + expected + ".");
    }

    private InvalidBodyException wrong(String name, Element element, String expected) {
        return new InvalidBodyException(named(name) + " is " + expected + ", but not " + element.quoted() + ".");
    }

    private String named(String name) {
        return "The field '" + where + name + "'";
    }
}
