/**
 * A real Redis server for tests that run on JUnit without Spring.
 *
 * <p>Read next: {@link io.delayqueue.test.junit.EmbeddedRedis}. Requires JUnit Jupiter, on which this module does not
 * depend.
 */
@NullMarked
package io.delayqueue.test.junit;

import org.jspecify.annotations.NullMarked;
