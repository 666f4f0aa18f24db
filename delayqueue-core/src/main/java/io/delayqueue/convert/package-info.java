/**
 * Converts payloads to bytes and back. The receiver, never the data, determines the type to read.
 *
 * <p>Only {@code JsonPayloadConverter} uses Jackson.
 */
@NullMarked
package io.delayqueue.convert;

import org.jspecify.annotations.NullMarked;
