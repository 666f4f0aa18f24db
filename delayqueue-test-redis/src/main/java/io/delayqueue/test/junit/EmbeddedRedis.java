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
 * Provides a real Redis server for a test class. Its constructor, test methods and life-cycle methods may have a
 * parameter of type {@link RedisServerProcess}.
 *
 * <p>By default all test classes of a run share one server, which is emptied before each class. A class that uses the
 * shared server must restore its configuration and must not run in parallel with another such class. A class that
 * stops, pauses or configures its server requires a {@link #dedicated()} server. Nested classes use the server of the
 * enclosing class unless they have an annotation of their own.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ExtendWith(RedisServerExtension.class)
public @interface EmbeddedRedis {

    /**
     * Whether the class has a server of its own, which is started before its first and closed after its last test.
     *
     * @return {@code false} for the shared server
     */
    boolean dedicated() default false;

    /**
     * Lines of {@code redis.conf} for a dedicated server, such as {@code appendonly yes}. Values cannot contain spaces.
     *
     * @return settings; if there are any, the server is dedicated
     */
    String[] settings() default {};
}
