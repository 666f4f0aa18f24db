package io.delayqueue.autoconfigure;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Rejects unknown keys below {@code delayqueue} in environment variables and system properties, which Spring Boot ignores.
 * Variables that Kubernetes makes for a Service, such as {@code DELAYQUEUE_SERVICE_HOST}, are ignored.
 */
final class EnvironmentKeysCheck implements ConfigurationPropertiesBindHandlerAdvisor {

    private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("delayqueue");
    private static final Set<String> SOURCES = Set.of(
            StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
            StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME);
    private static final Pattern OF_A_SERVICE = Pattern.compile("delayqueue\\.(.+\\.)?(service\\.(host|port(\\..+)?)"
            + "|port(\\.\\d+\\.(tcp|udp|sctp)(\\.(addr|port|proto))?)?)");

    @Override
    public BindHandler apply(BindHandler parent) {
        return new NoUnboundElementsBindHandler(parent, EnvironmentKeysCheck::isChecked) {

            @Override
            public @Nullable Object onFailure(
                    ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error)
                    throws Exception {
                return isOfAService(name) ? null : super.onFailure(name, target, context, error);
            }

            @Override
            public void onFinish(
                    ConfigurationPropertyName name, Bindable<?> target, BindContext context, @Nullable Object result)
                    throws Exception {
                parent.onFinish(name, target, context, result); // checks the files, which the superclass leaves out
                if (!name.equals(PREFIX)) {
                    return;
                }
                try {
                    super.onFinish(name, target, context, result);
                } catch (UnboundConfigurationPropertiesException e) {
                    Set<ConfigurationProperty> unknown = new LinkedHashSet<>(e.getUnboundProperties());
                    unknown.removeIf(each -> isOfAService(each.getName()));
                    if (!unknown.isEmpty()) {
                        throw new UnboundConfigurationPropertiesException(unknown);
                    }
                }
            }
        };
    }

    private static boolean isChecked(ConfigurationPropertySource source) {
        return source.getUnderlyingSource() instanceof PropertySource<?> properties
                && SOURCES.contains(properties.getName());
    }

    private static boolean isOfAService(ConfigurationPropertyName name) {
        String dotted = name.toString().replace('[', '.').replace("]", "");
        return OF_A_SERVICE.matcher(dotted).matches();
    }
}
