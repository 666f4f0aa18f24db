package io.delayqueue.autoconfigure;

import io.delayqueue.autoconfigure.failure.InvalidPropertyException;
import io.delayqueue.message.DurationText;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * Rejects a duration without a unit in any property below {@code delayqueue}. Spring Boot would read it as
 * milliseconds.
 */
final class DurationUnitCheck implements ConfigurationPropertiesBindHandlerAdvisor {

    private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("delayqueue");

    @Override
    public BindHandler apply(BindHandler parent) {
        return new AbstractBindHandler(parent) {

            @Override
            public @Nullable Object onSuccess(
                    ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
                if (result instanceof Duration && PREFIX.isAncestorOf(name)) {
                    check(name, context);
                }
                return super.onSuccess(name, target, context, result);
            }
        };
    }

    /** Checks the text of a property. Binds it as a string, which resolves placeholders. */
    private static void check(ConfigurationPropertyName name, BindContext context) {
        String text = context.getBinder().bind(name, Bindable.of(String.class)).orElse("");
        try {
            DurationText.requireUnit(text);
        } catch (IllegalArgumentException e) {
            throw InvalidPropertyException.of(name.toString(), "is '" + text + "', which " + e.getMessage());
        }
    }
}
