package io.delayqueue.jdbc.database;

import io.delayqueue.testing.MariaServer;
import io.delayqueue.testing.PostgresServer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** Implements {@link RequiresDatabase}. */
final class DatabaseCondition implements ExecutionCondition {

    private static final Log LOG = LogFactory.getLog(DatabaseCondition.class);
    private static final String SWITCH = "TEST_DATABASES";

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        RequiresDatabase.Kind kind = AnnotationSupport.findAnnotation(
                        context.getRequiredTestClass(), RequiresDatabase.class)
                .orElseThrow()
                .value();
        boolean installed = switch (kind) {
            case POSTGRESQL -> PostgresServer.isInstalled();
            case MARIADB -> MariaServer.isInstalled();
        };
        if (installed || "required".equals(System.getProperty(SWITCH, System.getenv(SWITCH)))) {
            return ConditionEvaluationResult.enabled(kind + " is available");
        }
        String notification = context.getDisplayName() + " is skipped: " + kind
                + " is not installed (Debian: apt-get install "
                + (kind == RequiresDatabase.Kind.POSTGRESQL ? "postgresql" : "mariadb-server-core") + ")";
        LOG.warn(notification);
        return ConditionEvaluationResult.disabled(notification);
    }
}
