package io.delayqueue.actuate.guard;

import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Replaces the server's error page with the {@link RejectionResponse} that explains the status, if there is one. */
final class ExplainingResponse extends HttpServletResponseWrapper {

    private final String method;

    ExplainingResponse(HttpServletResponse response, String method) {
        super(response);
        this.method = method;
    }

    @Override
    public void sendError(int status) throws IOException {
        if (!isExplained(status)) {
            super.sendError(status);
        }
    }

    @Override
    public void sendError(int status, @Nullable String message) throws IOException {
        if (!isExplained(status)) {
            super.sendError(status, message);
        }
    }

    private boolean isExplained(int status) throws IOException {
        RejectionResponse explanation = isCommitted() ? null : RejectionResponse.ofStatus(method, status);
        if (explanation == null) {
            return false;
        }
        resetBuffer();
        ServletRequestFilter.reject(this, explanation);
        return true;
    }
}
