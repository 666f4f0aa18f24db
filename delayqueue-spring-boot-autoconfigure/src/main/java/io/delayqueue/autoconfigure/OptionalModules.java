package io.delayqueue.autoconfigure;

import io.delayqueue.autoconfigure.failure.StartFailedException;
import io.delayqueue.autoconfigure.property.OnceProperties;
import org.springframework.beans.factory.BeanClassLoaderAware;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.util.ClassUtils;

/** Fails the application's start if a property requires an artifact that is not on the class path. */
final class OptionalModules implements SmartInitializingSingleton, BeanClassLoaderAware {

    private final DelayQueueProperties properties;
    private ClassLoader classLoader = getClass().getClassLoader();

    OptionalModules(DelayQueueProperties properties) {
        this.properties = properties;
    }

    @Override
    public void setBeanClassLoader(ClassLoader classLoader) {
        this.classLoader = classLoader;
    }

    @Override
    public void afterSingletonsInstantiated() {
        String http = "io.delayqueue.autoconfigure.http.DelayQueueHttpAutoConfiguration";
        require(
                "delayqueue-http",
                http,
                "delayqueue.http.api.enabled",
                properties.http().api().enabled());
        require(
                "delayqueue-http",
                http,
                "delayqueue.http.compat.enabled",
                properties.http().compat().enabled());
        require(
                "delayqueue-forward",
                "io.delayqueue.autoconfigure.forward.ForwardAutoConfiguration",
                "delayqueue.forward",
                !properties.forward().isEmpty());
        require(
                "delayqueue-jdbc",
                "io.delayqueue.autoconfigure.jdbc.OutboxAutoConfiguration",
                "delayqueue.outbox.enabled",
                Boolean.TRUE.equals(properties.outbox().enabled()));
        require(
                "delayqueue-jdbc",
                "io.delayqueue.autoconfigure.jdbc.OnceAutoConfiguration",
                "delayqueue.once",
                !properties.once().equals(OnceProperties.DEFAULTS));
    }

    private void require(String artifact, String type, String property, boolean set) {
        if (set && !ClassUtils.isPresent(type, classLoader)) {
            throw new StartFailedException(
                    property + " requires the dependency io.delayqueue:" + artifact
                            + ", which is not on the class path.",
                    "Add the dependency io.delayqueue:" + artifact + ", or remove " + property + ".");
        }
    }
}
