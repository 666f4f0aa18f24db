package io.delayqueue.actuate.dashboard;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Implements {@link RequiresBrowser}. */
final class BrowserExtension implements ExecutionCondition, ParameterResolver {

    private static final Log LOG = LogFactory.getLog(BrowserExtension.class);
    private static final Namespace NAMESPACE = Namespace.create(BrowserExtension.class);
    private static final String SWITCH = "TEST_BROWSER";

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        if (Browser.isInstalled() || "required".equals(System.getProperty(SWITCH, System.getenv(SWITCH)))) {
            return ConditionEvaluationResult.enabled("a browser is installed");
        }
        String notification = context.getDisplayName() + " is skipped: there is no " + Browser.CHROMIUM + " and "
                + Browser.CHROMEDRIVER + " (Debian: apt-get install chromium chromium-driver)";
        LOG.warn(notification);
        return ConditionEvaluationResult.disabled(notification);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Browser.class;
    }

    /** Returns the browser of the test class, which JUnit closes after the last test. */
    @Override
    public Browser resolveParameter(ParameterContext parameter, ExtensionContext context) {
        ExtensionContext classContext =
                context.getTestMethod().isPresent() ? context.getParent().orElseThrow() : context;
        return classContext.getStore(NAMESPACE).computeIfAbsent(Browser.class, key -> Browser.start(), Browser.class);
    }
}
