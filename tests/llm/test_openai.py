"""OpenAI's own Python client and types as a second opinion: they read what the fake model answers, they find nothing
wrong with what the program asks, and the program reads what they write."""

import http.server
import json
import threading
import typing
import unittest

import openai
import pydantic
from openai.types.chat import ChatCompletion
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming

from place import KEY, RELU, Place, FakeModel, report
from test_llm import GOOD

# Fields that other servers take, and where docs/optimizer.md says so.
OTHERS = {"grammar", "structured_outputs"}


def completion(message, finish="stop"):
    return ChatCompletion.model_validate({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1700000000, "model": "tester", "service_tier": "default",
        "system_fingerprint": "fp_1",
        "choices": [{"index": 0, "finish_reason": finish, "logprobs": None,
                     "message": {"role": "assistant", "refusal": None, "annotations": [], **message}}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 200, "total_tokens": 1200,
                  "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
                  "completion_tokens_details": {"reasoning_tokens": 100, "audio_tokens": 0}},
    }, strict=True)


def function(name, program):
    return {"content": None, "tool_calls": [{"id": "call_1", "type": "function",
                                             "function": {"name": name, "arguments": json.dumps({"program": program})}}]}


def custom(program):
    return {"content": None, "tool_calls": [{"id": "call_1", "type": "custom",
                                             "custom": {"name": "submit_program", "input": program}}]}


class Server:
    """Answers the given completions in turn, the last again and again; keeps what it was asked."""

    def __init__(self, *answers):
        self.asked, self.answers = [], list(answers)
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                outer.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                answer = outer.answers.pop(0) if len(outer.answers) > 1 else outer.answers[0]
                body = answer.model_dump_json().encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class Protocol(Place):
    def ask(self, server, settings, *args):
        settings = {"base_url": server.url, "model": "tester", "key_env": "TEST_KEY"} | settings
        done = self.optimize(RELU, "--precision", "f16", "--proposer", "llm", "--llm", json.dumps(settings), "--controller", "mi",
                             "--attempts", "2", "--json", "--fresh", *args)
        self.assertEqual(done.returncode, 0, done.stderr)
        known = typing.get_type_hints(CompletionCreateParamsNonStreaming)
        for body in server.asked:
            pydantic.TypeAdapter(CompletionCreateParamsNonStreaming).validate_python(body)
            self.assertLessEqual(set(body) - set(known), OTHERS)
        return report(done)

    def assertFinds(self, found):
        self.assertEqual(found["best"]["attempt"], 2)

    def test_answers_in_words(self):
        with Server(completion({"content": f"Here:\n```uc\n{GOOD}```"})) as server:
            found = self.ask(server, {"temperature": 0.2, "extra": {"reasoning_effort": "low"}})
        self.assertFinds(found)
        self.assertEqual(found["spent"], {"calls": 1, "prompt_tokens": 1000, "answer_tokens": 200, "usd": 0.0, "estimated": False})

    def test_tools(self):
        with Server(completion(function("check_program", "y = relu(x)"), "tool_calls"),
                    completion(function("submit_program", GOOD), "tool_calls")) as server:
            self.assertFinds(self.ask(server, {"tools": True}))
        self.assertEqual([m["role"] for m in server.asked[1]["messages"]], ["system", "user", "assistant", "tool"])
        self.assertIn("error", server.asked[1]["messages"][3]["content"])

    def test_a_custom_tool_with_a_grammar(self):
        with Server(completion(custom(GOOD), "tool_calls")) as server:
            self.assertFinds(self.ask(server, {"grammar": "openai"}))
        self.assertEqual(server.asked[0]["tools"][0]["custom"]["format"]["grammar"]["syntax"], "lark")

    def test_grammars_of_other_servers(self):
        for grammar, field in (("llama.cpp", "grammar"), ("vllm", "structured_outputs")):
            with Server(completion({"content": GOOD})) as server:
                self.assertFinds(self.ask(server, {"grammar": grammar}))
            self.assertIn(field, server.asked[0])

    def test_their_client_reads_the_FakeModel(self):
        with FakeModel("well") as model:
            client = openai.OpenAI(base_url=model.url, api_key=KEY, max_retries=0)
            answer = client.chat.completions.create(model="tester", messages=[
                {"role": "system", "content": "s"}, {"role": "user", "content": f"```uc\n{GOOD}\n```"}])
            client.close()
        self.assertIn("linear", answer.choices[0].message.content)
        ChatCompletion.model_validate(answer.model_dump(), strict=True)


if __name__ == "__main__":
    unittest.main()
