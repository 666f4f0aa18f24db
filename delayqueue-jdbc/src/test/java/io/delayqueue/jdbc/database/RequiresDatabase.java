package io.delayqueue.jdbc.database;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs a test class only among the long tests, and skips it, with a warning, if a database server (of Debian's
 * package) is not installed. If the environment variable or system property {@code TEST_DATABASES} is {@code
 * required}, the tests run and fail instead.
 */
@Tag("long")
@Tag("jdbc")
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ExtendWith(DatabaseCondition.class)
public @interface RequiresDatabase {

    /** The server. */
    Kind value();

    /** The servers. */
    enum Kind {
        POSTGRESQL,
        MARIADB
    }
}
