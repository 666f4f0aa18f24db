package io.delayqueue.autoconfigure.failure;

import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindException;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Names the keys of {@code delayqueue} that are unknown or follow a missing list element, where they are set, and a
 * correction.
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
        ListGaps gaps = new ListGaps(unbound.getUnboundProperties().stream()
                .map(ConfigurationProperty::getName)
                .toList());
        String description = sentences(
                unbound,
                property -> gaps.in(known.lists(property.getName()))
                        .map(gap -> "The property '" + property.getName() + "' is ignored" + origin(property)
                                + ", because element '" + gap + "' of its list is missing.")
                        .orElseGet(() -> "There is no property '" + property.getName() + "'" + origin(property) + "."));
        String action = sentences(
                unbound,
                property -> gaps.in(known.lists(property.getName()))
                        .map(gap -> "Number the elements of the list from 0 without a gap: add '" + gap
                                + "', or renumber the elements after it.")
                        .orElseGet(() -> known.advice(property.getName())));
        return new FailureAnalysis(description, action, cause);
    }

    private static String sentences(
            UnboundConfigurationPropertiesException unbound, Function<ConfigurationProperty, String> sentence) {
        return unbound.getUnboundProperties().stream()
                .map(sentence)
                .sorted()
                .distinct()
                .collect(Collectors.joining("\n"));
    }

    private static String origin(ConfigurationProperty property) {
        return property.getOrigin() == null ? "" : ", but it is set: " + property.getOrigin();
    }
}
