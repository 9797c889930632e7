// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ConnectException.Reason;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Tests which failures count as temporary. */
class RetryPolicyTest {

    @Test
    void refusedLoginAndUnreachableServerAreTemporary() {
        assertThat(Arrays.stream(Reason.values())
                        .filter(reason -> RetryPolicy.isTemporary(new ConnectException(reason, "a test"))))
                .containsExactlyInAnyOrder(Reason.UNREACHABLE, Reason.AUTHENTICATION);
    }
}
