package io.delayqueue.jdbc.modulith;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.modulith.events.config.EventPublicationAutoConfiguration;

/** Enables the auto-configuration of all that is on the class path but the event publication registry. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@EnableAutoConfiguration(
        exclude = EventPublicationAutoConfiguration.class,
        excludeName = "org.springframework.modulith.events.jdbc.JdbcEventPublicationAutoConfiguration")
public @interface WithoutModulith {}
