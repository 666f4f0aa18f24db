package io.delayqueue.broker;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Implements {@link RequiresRabbit}. */
final class RabbitCondition implements ExecutionCondition {

    private static final Log LOG = LogFactory.getLog(RabbitCondition.class);
    private static final String SWITCH = "TEST_RABBITMQ";

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        if (NativeRabbit.isInstalled()
                || "required".equals(System.getProperty(SWITCH, System.getenv(SWITCH)))
                || DockerRabbit.isAvailable()) {
            return ConditionEvaluationResult.enabled("RabbitMQ is available");
        }
        String notification = context.getDisplayName()
                + " is skipped: there is neither RabbitMQ (Debian: apt-get install rabbitmq-server) nor Docker";
        LOG.warn(notification);
        return ConditionEvaluationResult.disabled(notification);
    }
}
