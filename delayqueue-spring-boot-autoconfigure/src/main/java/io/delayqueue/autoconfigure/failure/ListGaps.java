package io.delayqueue.autoconfigure.failure;

import java.util.List;
import java.util.Optional;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/**
 * Finds missing elements of lists. Spring Boot binds a list from index 0 up to the first missing index; elements after
 * it remain unbound.
 *
 * @param unbound the names of all properties that were not bound
 */
record ListGaps(List<ConfigurationPropertyName> unbound) {

    /** A missing element that precedes the unbound elements of one of the lists. */
    Optional<ConfigurationPropertyName> in(List<ConfigurationPropertyName> lists) {
        return lists.stream()
                .filter(list -> lowest(list) > 0)
                .map(list -> list.append("[" + (lowest(list) - 1) + "]"))
                .findFirst();
    }

    /**
     * The lowest index of an unbound element, or 0. The element before it is missing, because otherwise this one would
     * be bound or would not be the lowest.
     */
    private int lowest(ConfigurationPropertyName list) {
        int index = list.getNumberOfElements();
        return unbound.stream()
                .filter(name -> list.isAncestorOf(name) && name.isNumericIndex(index))
                .mapToInt(name -> Integer.parseInt(name.getElement(index, Form.ORIGINAL)))
                .min()
                .orElse(0);
    }
}
