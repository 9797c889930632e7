// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.api;

import io.millrace.bitmap.BitmapException;
import io.millrace.cache.LoadFailedException;
import io.millrace.cache.LoadRefusedException;
import io.millrace.cache.LoadTimedOutException;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.RedisException;
import io.millrace.server.gate.Problem;
import io.millrace.server.gate.ProblemText;
import io.millrace.server.gate.Refusal;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.web.ErrorResponse;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.bind.MissingServletRequestParameterException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
import org.springframework.web.util.DisconnectedClientHelper;

/** Turns exceptions into problems. No answer contains the name of a class or the text of a foreign exception. */
@RestControllerAdvice
class ProblemAdvice {

    private static final System.Logger LOGGER = System.getLogger("io.millrace.server");

    /** The client connects again within seconds. */
    static final int RETRY_SECONDS = 2;

    @ExceptionHandler(Exception.class)
    void answer(Exception failure, HttpServletResponse response) throws IOException {
        if (failure instanceof IOException
                && (response.isCommitted() || DisconnectedClientHelper.isClientDisconnectedException(failure))) {
            return; // the client has gone
        }
        if (failure instanceof HttpRequestMethodNotSupportedException unsupported
                && unsupported.getSupportedMethods() != null) {
            response.setHeader("Allow", String.join(", ", unsupported.getSupportedMethods()));
        }
        Refusal refusal = refusal(failure);
        switch (refusal.problem()) {
            case FAILED, INTERNAL -> LOGGER.log(System.Logger.Level.ERROR, "a request failed", failure);
            default -> {
                // The client gets the reason.
            }
        }
        ProblemText.write(response, refusal);
    }

    private static Refusal refusal(Exception failure) {
        return switch (failure) {
            case Refusal refusal -> refusal;
            case RedisException redis -> refusal(redis);
            case LoadFailedException failed ->
                new Refusal(Problem.FAILED, "The source of the value has thrown an exception. The log has the reason.");
            case LoadTimedOutException late -> new Refusal(Problem.LATE, "The value was not computed in time.");
            case LoadRefusedException full ->
                new Refusal(Problem.LATE, "Too many computations that exceeded their limit still run.");
            case BitmapException broken ->
                new Refusal(
                        Problem.CONFLICT,
                        "The stored bits do not fit the request: they have other options, or are not complete.");
            case HttpMessageNotReadableException unreadable -> BodyErrors.refusal(unreadable);
            case MissingServletRequestParameterException missing ->
                new Refusal(Problem.BAD_REQUEST, "The parameter " + missing.getParameterName() + " is missing.");
            case MethodArgumentTypeMismatchException mismatch ->
                new Refusal(Problem.BAD_REQUEST, mismatch.getName() + " has the wrong form.");
            case ErrorResponse chosen -> {
                Problem problem = Problem.ofStatus(chosen.getStatusCode().value());
                yield new Refusal(problem, problem.title());
            }
            default -> new Refusal(Problem.INTERNAL, "The log of the server has the reason.");
        };
    }

    /** Says why Redis has not executed a command, without its address. */
    static Refusal refusal(RedisException failure) {
        return switch (failure) {
            case ErrorReplyException reply
            when reply.code().equals("WRONGTYPE") ->
                new Refusal(Problem.CONFLICT, "The key exists in Redis with another type.");
            case ErrorReplyException reply ->
                new Refusal(Problem.REDIS_AWAY, "Redis refused the command: " + reply.code() + ".", RETRY_SECONDS);
            default -> new Refusal(Problem.REDIS_AWAY, "Redis did not answer.", RETRY_SECONDS);
        };
    }
}
