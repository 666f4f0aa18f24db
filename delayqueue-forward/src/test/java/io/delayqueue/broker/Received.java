package io.delayqueue.broker;

import java.util.Map;

/**
 * A message as a consumer of the broker gets it.
 *
 * @param id the queue's id by its header
 * @param key Kafka's key; of others the message's id where they have one, else empty
 * @param contentType wherever the broker has it
 */
record Received(String id, String key, String contentType, String body, Map<String, String> headers) {}
