// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.library.Libraries;
import io.millrace.lab.library.Library;
import java.time.Clock;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class EnvironmentTest {

    @Test
    void everyPeerIsThereWithItsVersion() {
        var tasks = Stream.of("fs2", "cats-effect", "reactor", "jox");
        var peers = Stream.concat(Libraries.ALL.stream().map(Library::name), tasks)
                .filter(name -> !name.equals("millrace")) // its version is in its own jar, of which there is none yet
                .toList();

        var versions = Environment.here(Clock.systemUTC()).versions();

        assertThat(versions).containsKeys(peers.toArray(String[]::new)).containsKey("netty");
        assertThat(peers).allSatisfy(name -> assertThat(versions.get(name)).matches("\\d+\\.\\d+\\.\\d+.*"));
    }
}
