package io.delayqueue.autoconfigure.forward;

import io.delayqueue.annotation.DelayListenerConfigurer;
import io.delayqueue.annotation.DelayListenerEndpoint;
import io.delayqueue.annotation.DelayListenerEndpointRegistrar;
import io.delayqueue.autoconfigure.failure.InvalidPropertyException;
import io.delayqueue.autoconfigure.property.ForwardProperties;
import io.delayqueue.autoconfigure.property.ListenerLevels;
import io.delayqueue.forward.ForwardMapper;
import io.delayqueue.forward.Forwarder;
import io.delayqueue.forward.ForwardingHandler;
import io.delayqueue.forward.Route;
import io.delayqueue.forward.SendDeadlines;
import java.util.List;

/** Registers a listener for each forward. */
final class Forwards implements DelayListenerConfigurer, AutoCloseable {

    private final List<ForwardProperties> forwards;
    private final ListenerLevels levels;
    private final BrokerBeans brokers;
    private final List<ForwardMapper> mappers;
    private final SendDeadlines deadlines;

    Forwards(
            List<ForwardProperties> forwards,
            ListenerLevels levels,
            BrokerBeans brokers,
            List<ForwardMapper> mappers,
            SendDeadlines deadlines) {
        this.forwards = forwards;
        this.levels = levels;
        this.brokers = brokers;
        this.mappers = mappers;
        this.deadlines = deadlines;
    }

    @Override
    public void configureDelayListeners(DelayListenerEndpointRegistrar registrar) {
        for (int index = 0; index < forwards.size(); index++) {
            registrar.register(endpoint(forwards.get(index), ForwardProperties.prefix(index)));
        }
    }

    private DelayListenerEndpoint endpoint(ForwardProperties forward, String prefix) {
        Route route = new Route(
                forward.topic(),
                forward.to(),
                forward.destination(),
                forward.routingKey(),
                forward.pubSub(),
                forward.sendTimeout());
        Forwarder forwarder = InvalidPropertyException.check(
                prefix, () -> brokers.find(route.to()).open(route));
        return DelayListenerEndpoint.to(route.topic())
                .id(forward.listenerId())
                .handler(byte[].class, new ForwardingHandler(route, forwarder, mappers, deadlines))
                .options(options -> levels.apply(forward, prefix, options))
                .build();
    }

    @Override
    public void close() {
        brokers.close();
    }
}
