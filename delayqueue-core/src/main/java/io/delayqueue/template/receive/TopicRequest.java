package io.delayqueue.template.receive;

import java.time.Duration;

/**
 * A request to receive messages of one topic. Immutable. {@link ReceiveRequest} has checked the ranges.
 *
 * @param topic the topic
 * @param max most deliveries
 * @param waitTime longest wait for the first delivery; 0 polls once
 * @param lease duration of the lease
 */
record TopicRequest(String topic, int max, Duration waitTime, Duration lease) {

    /** The same with another wait. */
    TopicRequest waitTime(Duration waitTime) {
        return new TopicRequest(topic, max, waitTime, lease);
    }
}
