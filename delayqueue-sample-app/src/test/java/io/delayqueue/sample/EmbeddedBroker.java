package io.delayqueue.sample;

import jakarta.jms.ConnectionFactory;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;

/** A JMS broker in this process for the profile {@code forward}. It does not persist messages. */
@Configuration(proxyBeanMethods = false)
@Profile("forward")
public class EmbeddedBroker {

    @Bean(destroyMethod = "stop")
    EmbeddedActiveMQ artemis() throws Exception {
        EmbeddedActiveMQ artemis = new EmbeddedActiveMQ();
        artemis.setConfiguration(new ConfigurationImpl()
                .setPersistenceEnabled(false)
                .setSecurityEnabled(false)
                .addAcceptorConfiguration("in-vm", "vm://0"));
        return artemis.start();
    }

    @Bean
    ConnectionFactory connectionFactory(EmbeddedActiveMQ artemis) {
        return new ActiveMQConnectionFactory("vm://0");
    }
}
