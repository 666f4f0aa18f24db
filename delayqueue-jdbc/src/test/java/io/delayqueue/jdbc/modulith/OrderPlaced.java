package io.delayqueue.jdbc.modulith;

import java.time.Instant;
import org.springframework.modulith.events.Externalized;

@Externalized("order-cancel::#{#this.id}")
record OrderPlaced(String id, Instant dueAt) implements DelayQueueExternalization.Delayed {}
