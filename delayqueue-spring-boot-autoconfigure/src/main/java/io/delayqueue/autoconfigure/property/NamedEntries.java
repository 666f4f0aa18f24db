package io.delayqueue.autoconfigure.property;

import io.delayqueue.autoconfigure.failure.InvalidPropertyException;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Entries of a map of properties whose keys are names. An entry may have the name as a value, and its key is then only a
 * label, because the name of an environment variable has neither dashes nor capital letters.
 */
public final class NamedEntries {

    private NamedEntries() {}

    /**
     * Returns the entries by their names.
     *
     * @param prefix the prefix of the properties
     * @param name returns the name of an entry; null if it is the key
     * @throws InvalidPropertyException if two entries have the same name
     */
    public static <T> Map<String, T> byName(String prefix, Map<String, T> entries, Function<T, @Nullable String> name) {
        return byName(prefix, entries, (key, entry) -> name.apply(entry));
    }

    /** The same, if the name also depends on the key. */
    public static <T> Map<String, T> byName(
            String prefix, Map<String, T> entries, BiFunction<String, T, @Nullable String> name) {
        Map<String, T> byName = new HashMap<>();
        Map<String, String> keys = new HashMap<>();
        new TreeMap<>(entries).forEach((key, entry) -> {
            String given = name.apply(key, entry);
            String effective = given == null ? key : given;
            String property = prefix + "[" + key + "]";
            String other = keys.putIfAbsent(effective, key);
            if (other != null) {
                throw InvalidPropertyException.of(
                        property,
                        "and " + prefix + "[" + other + "] are both entries for the name '" + effective
                                + "': write the options of a name in one entry");
            }
            byName.put(effective, entry);
        });
        return Map.copyOf(byName);
    }
}
