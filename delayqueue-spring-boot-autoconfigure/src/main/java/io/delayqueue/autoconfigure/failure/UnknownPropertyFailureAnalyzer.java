package io.delayqueue.autoconfigure.failure;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindException;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Describes each key below {@code delayqueue} that is unknown or that follows a missing list element: where it is set,
 * and how to correct it.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class UnknownPropertyFailureAnalyzer extends AbstractFailureAnalyzer<ConfigurationPropertiesBindException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, ConfigurationPropertiesBindException cause) {
        UnboundConfigurationPropertiesException unbound =
                findCause(cause, UnboundConfigurationPropertiesException.class);
        Class<?> type = cause.getBeanType();
        if (unbound == null || !type.isRecord() || !type.getPackageName().startsWith("io.delayqueue.")) {
            return null;
        }
        KnownProperties known = new KnownProperties(type);
        Set<String> descriptions = new TreeSet<>();
        Set<String> actions = new TreeSet<>();
        for (ConfigurationProperty property : unbound.getUnboundProperties()) {
            ConfigurationPropertyName name = property.getName();
            String origin = property.getOrigin() == null ? "" : ", but it is set: " + property.getOrigin();
            KnownProperties.Key key = known.find(name);
            Optional<ConfigurationPropertyName> gap = gap(key.lists(), unbound);
            descriptions.add(gap.map(missing -> "The property '" + name + "' is ignored" + origin
                            + ", because element '" + missing + "' of its list is missing.")
                    .orElseGet(() -> "There is no property '" + name + "'" + origin + "."));
            actions.add(gap.map(missing -> "Number the elements of the list from 0 without a gap: add '" + missing
                            + "', or renumber the elements after it.")
                    .orElseGet(key::advice));
        }
        return new FailureAnalysis(String.join("\n", descriptions), String.join("\n", actions), cause);
    }

    /**
     * Finds the missing element that precedes the unbound elements of one of the lists. Spring Boot binds a list from
     * index 0 up to the first missing index; elements after it remain unbound.
     */
    private static Optional<ConfigurationPropertyName> gap(
            List<ConfigurationPropertyName> lists, UnboundConfigurationPropertiesException unbound) {
        return lists.stream()
                .filter(list -> lowest(list, unbound) > 0)
                .map(list -> list.append("[" + (lowest(list, unbound) - 1) + "]"))
                .findFirst();
    }

    /**
     * Returns the lowest index of an unbound element, or 0 if there is none. The element before it is missing: if it
     * were bound, this one would be bound too, and if it were unbound, its index would be lower.
     */
    private static int lowest(ConfigurationPropertyName list, UnboundConfigurationPropertiesException unbound) {
        int index = list.getNumberOfElements();
        return unbound.getUnboundProperties().stream()
                .map(ConfigurationProperty::getName)
                .filter(name -> list.isAncestorOf(name) && name.isNumericIndex(index))
                .mapToInt(name -> Integer.parseInt(name.getElement(index, Form.ORIGINAL)))
                .min()
                .orElse(0);
    }
}
