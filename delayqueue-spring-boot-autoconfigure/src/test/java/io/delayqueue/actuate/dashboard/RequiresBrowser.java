package io.delayqueue.actuate.dashboard;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Provides a {@link Browser} for the tests of a class as a parameter. Without a browser, they are skipped with a warning.
 * If the environment variable or system property {@code TEST_BROWSER} is {@code required}, they fail instead.
 */
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ExtendWith(BrowserExtension.class)
@interface RequiresBrowser {}
