package io.delayqueue.broker;

import java.util.Map;

/**
 * A message as a consumer of the broker receives it.
 *
 * @param id the id in the delay queue, from the header
 * @param key Kafka's key or RabbitMQ's message id; empty for JMS
 * @param contentType from the header or property of the broker
 */
record Received(String id, String key, String contentType, String body, Map<String, String> headers) {}
