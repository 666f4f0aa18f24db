/**
 * Assembles the queue in a Spring Boot application: properties, beans, and failure analyses. The only package that knows
 * all others.
 */
@NullMarked
package io.delayqueue.autoconfigure;

import org.jspecify.annotations.NullMarked;
