/**
 * Exceptions that fail the start of an application, and their failure analyses. The auto-configurations throw the
 * exceptions. Spring Boot loads the analyzers.
 */
@Internal
@NullMarked
package io.delayqueue.autoconfigure.failure;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
