package io.delayqueue.actuate.dashboard;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives the tests of a class a {@link Browser} of their own as a parameter. Where there is none they are skipped with a
 * notification, unless the environment variable or system property {@code DELAYQUEUE_BROWSER} is {@code required}.
 */
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ExtendWith(BrowserExtension.class)
@interface RequiresBrowser {}
