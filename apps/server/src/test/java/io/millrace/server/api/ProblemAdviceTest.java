// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import org.apache.catalina.connector.ClientAbortException;
import org.junit.jupiter.api.Test;

class ProblemAdviceTest {

    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private boolean committed;

    private final ServletOutputStream out = new ServletOutputStream() {
        @Override
        public void write(int single) {
            written.write(single);
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            throw new UnsupportedOperationException();
        }
    };

    private String answer(Exception failure) throws IOException {
        HttpServletResponse response = (HttpServletResponse) Proxy.newProxyInstance(
                HttpServletResponse.class.getClassLoader(),
                new Class<?>[] {HttpServletResponse.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "isCommitted" -> committed;
                    case "getOutputStream" -> out;
                    default -> null;
                });
        new ProblemAdvice().answer(failure, response);
        return written.toString(StandardCharsets.UTF_8);
    }

    @Test
    void failedReadOfARouteIsAnErrorAndNotAnEmptyAnswer() throws IOException {
        assertThat(answer(new IOException("a file cannot be read")))
                .contains("\"status\":500")
                .doesNotContain("a file");
    }

    @Test
    void clientThatHasGoneGetsNoAnswer() throws IOException {
        assertThat(answer(new ClientAbortException("reset"))).isEmpty();
        committed = true;
        assertThat(answer(new IOException("the answer has begun"))).isEmpty();
    }
}
