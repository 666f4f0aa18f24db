/**
 * Decides what an operator should look at. Endpoint, dashboard, health and meters show its result.
 *
 * <p>{@link io.delayqueue.admin.diagnosis.QueueDiagnosis} runs the rules. Each kind of {@link
 * io.delayqueue.admin.diagnosis.Finding} has one rule, and each rule is a class that reads a {@code Situation} and adds
 * findings to it. A new rule is added to the list in {@code QueueDiagnosis}, to {@code Finding.Kind} and to the chapters
 * of {@code docs/operations/README.md}. Uses {@code admin}, {@code listener} and {@code message}, and the defaults and
 * the form of retention in {@code container} and {@code store}; calls no server.
 */
@Internal
@NullMarked
package io.delayqueue.admin.diagnosis;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
