package io.delayqueue.web.guard;

import io.delayqueue.management.guard.Permission;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Permissions that authorize a client to call the annotated method. One of them is sufficient. */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Requires {

    /** Sufficient permissions, in addition to {@link Permission#ADMIN}. */
    Permission[] value();
}
