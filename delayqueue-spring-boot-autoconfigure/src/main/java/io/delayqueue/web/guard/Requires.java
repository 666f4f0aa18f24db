package io.delayqueue.web.guard;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** What a client must be let in for, to have a request handled by the method: any of these. */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Requires {

    /** One of these is enough; {@link Permission#ADMIN} always is. */
    Permission[] value();
}
