/**
 * Support for tests of applications that use the delay queue.
 */
@NullMarked
package io.delayqueue.test;

import org.jspecify.annotations.NullMarked;
