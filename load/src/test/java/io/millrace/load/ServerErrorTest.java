// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.resp.Reply.ErrorReply;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerErrorTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "LOADING Redis is loading the dataset in memory",
                "BUSY Redis is busy running a script.",
                "MASTERDOWN Link with MASTER is down",
                "CLUSTERDOWN The cluster is down",
                "NOREPLICAS Not enough good replicas to write.",
                "READONLY You can't write against a read only replica.",
                "OOM command not allowed when used memory > 'maxmemory'.",
            })
    void stateThatEndsIsTemporary(String message) {
        ServerError error = ServerError.of(new ErrorReply(message));

        assertThat(error.isTemporary()).isTrue();
        assertThat(error.isHopeless()).isFalse();
        assertThat(error.advice()).endsWith(".");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ERR unknown command 'HSET', with args beginning with: 'c:1'",
                "ERR unknown command `HSET`, with args beginning with: `c:1`",
                "NOPERM User app has no permissions to run the 'hset' command",
                "NOPERM this user has no permissions to run the 'hset' command or its subcommand",
                "ERR The user executing the script can't run this command or subcommand",
                "ERR ACL failure in script: User app has no permissions to run the 'hset' command",
                "MISCONF Redis is configured to save RDB snapshots",
                "NOAUTH Authentication required.",
            })
    void errorOfEveryRowIsHopeless(String message) {
        ServerError error = ServerError.of(new ErrorReply(message));

        assertThat(error.isHopeless()).isTrue();
        assertThat(error.isTemporary()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "WRONGTYPE Operation against a key holding the wrong kind of value",
                "NOPERM No permissions to access a key",
                "NOPERM this user has no permissions to access one of the keys used as arguments",
                "ERR The user executing the script can't access at least one of the keys mentioned in the command",
                "ERR ACL failure in script: No permissions to access a key",
                "ERR value is not an integer",
                "OOMPH is not a code of Redis",
            })
    void errorOfOneRowNeitherStopsTheLoadNorIsWaitedFor(String message) {
        ServerError error = ServerError.of(new ErrorReply(message));

        assertThat(error.isHopeless() || error.isTemporary() || error.concernsServer())
                .isFalse();
    }

    @Test
    void fullServerIsWaitedForBriefly() {
        Duration minute = Duration.ofMinutes(1);

        assertThat(ServerError.OOM.longestWait(minute)).isEqualTo(ServerError.LONGEST_OOM_WAIT);
        assertThat(ServerError.OOM.longestWait(Duration.ofMillis(1))).isEqualTo(Duration.ofMillis(1));
        assertThat(ServerError.LOADING.longestWait(minute)).isEqualTo(minute);
    }
}
