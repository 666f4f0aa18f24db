/**
 * Auto-configures the queue in a Spring Boot application: properties, beans and failure analyses. This is the only
 * package that depends on all others.
 */
@NullMarked
package io.delayqueue.autoconfigure;

import org.jspecify.annotations.NullMarked;
