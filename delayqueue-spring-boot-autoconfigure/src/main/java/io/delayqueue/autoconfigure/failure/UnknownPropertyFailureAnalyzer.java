package io.delayqueue.autoconfigure.failure;

import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindException;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Names the keys below {@code delayqueue} that nobody knows, where they stand, and what may have been meant. */
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
        String description = unbound.getUnboundProperties().stream()
                .map(property -> "There is no property '" + property.getName() + "'" + origin(property) + ".")
                .sorted()
                .collect(Collectors.joining("\n"));
        String action = unbound.getUnboundProperties().stream()
                .map(property -> known.advice(property.getName()))
                .sorted()
                .distinct()
                .collect(Collectors.joining("\n"));
        return new FailureAnalysis(description, action, cause);
    }

    private static String origin(ConfigurationProperty property) {
        return property.getOrigin() == null ? "" : ", but it is set: " + property.getOrigin();
    }
}
