package io.delayqueue.test.junit;

import io.delayqueue.test.redis.RedisServerProcess;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives a test class a real Redis server; its constructor, its tests and their life-cycle methods may ask for it by a
 * parameter of type {@link RedisServerProcess}.
 *
 * <p>By default all test classes of a run share one server, which is emptied before each of them; such a class leaves
 * the server's configuration as it found it and does not run at the same time as another. A class that stops, pauses or
 * configures its server takes a {@link #dedicated()} one. Nested classes use the server of the class around them unless
 * they have an annotation of their own.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ExtendWith(RedisServerExtension.class)
public @interface EmbeddedRedis {

    /**
     * Whether the class has a server for itself, started before its first and closed after its last test.
     *
     * @return {@code false} for the shared server
     */
    boolean dedicated() default false;

    /**
     * Lines of {@code redis.conf}, such as {@code appendonly yes}, for a server of the class' own; values cannot contain
     * spaces.
     *
     * @return settings; if there are any, the server is dedicated
     */
    String[] settings() default {};
}
