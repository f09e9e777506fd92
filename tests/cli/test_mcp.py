"""`ucutlass mcp` as a client starts it: a process, messages on its standard input, answers as they come."""

import json
import os
import subprocess
import unittest

PROGRAM = os.environ["UCUTLASS"]
RELU = "target sm_90a\ninput x: f16[128, 64]\ny = relu(x)\nreturn y\n"


class Client:
    def __init__(self):
        self.process = subprocess.Popen([PROGRAM, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def raw(self, line):
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def request(self, method, **params):
        return self.raw(json.dumps({"jsonrpc": "2.0", "id": method, "method": method, "params": params}).encode())

    def tool(self, name, **arguments):
        return self.request("tools/call", name=name, arguments=arguments)["result"]

    def end(self):
        self.process.stdin.close()
        code = self.process.wait(timeout=30)
        left, said = self.process.stdout.read(), self.process.stderr.read()
        self.process.stdout.close()
        self.process.stderr.close()
        return code, left, said


class Mcp(unittest.TestCase):
    def setUp(self):
        self.client = Client()
        self.addCleanup(self.client.process.kill)

    def test_a_session(self):
        hello = self.client.request("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "t", "version": "1"})
        self.assertEqual(hello["result"]["protocolVersion"], "2025-06-18")
        tools = {tool["name"]: tool for tool in self.client.request("tools/list")["result"]["tools"]}
        self.assertLessEqual({"check", "explain", "sol", "language", "evaluate"}, set(tools))
        # Each answer comes before the next message is sent: nothing waits in a buffer.
        self.assertFalse(self.client.tool("check", program=RELU)["isError"])
        findings = json.loads(self.client.tool("check", program=RELU.replace("relu", "rely"))["content"][0]["text"])
        self.assertIn("relu", json.dumps(findings))
        sol = self.client.tool("sol", program=RELU)
        self.assertEqual(sol["structuredContent"]["schema"], "ucutlass.sol/1")
        self.assertEqual(self.client.end(), (0, b"", b""))

    def test_noise_does_not_end_it(self):
        for line in (b"{", b"\x00\x01", b"null", b"[" * 50000, b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * (5 << 20) + b'"}'):
            self.assertIn("error", self.client.raw(line))
        self.assertEqual(self.client.request("ping")["result"], {})
        self.assertEqual(self.client.end()[0], 0)

    def test_an_end_within_a_message_is_no_fault_of_its_own(self):
        self.client.process.stdin.write(b'{"jsonrpc":"2.0","id":1,"meth')
        code, left, said = self.client.end()
        self.assertEqual(code, 0)
        self.assertEqual(json.loads(left)["error"]["code"], -32700)
        self.assertEqual(said, b"")


if __name__ == "__main__":
    unittest.main(verbosity=2)
