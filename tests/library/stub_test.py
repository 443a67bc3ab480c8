"""The type stub says what the installed Python module has: the same names, parameters and defaults or none."""
import ast
import inspect
import re

import sojourn

STUB = ast.parse(open(sojourn.__file__ + "i", encoding="utf-8").read())


def stub_parameters(function):
    """[(name, by name only, has a default)] without self."""
    arguments = function.args
    assert not arguments.vararg and not arguments.kwarg, f"{function.name} takes anything"
    by_place = arguments.posonlyargs + arguments.args
    defaults = [False] * (len(by_place) - len(arguments.defaults)) + [True] * len(arguments.defaults)
    found = [(argument.arg, False, default) for argument, default in zip(by_place, defaults)]
    found += [(argument.arg, True, default is not None) for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults)]
    return [parameter for parameter in found if parameter[0] != "self"]


def real_parameters(function):
    """The same of a function of the module; pybind11 writes its signatures into the first line of the text."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        inside = re.match(r"\w+\((.*)\) ->", function.__doc__).group(1)
        parts = [part for part in re.split(r", (?=\w+:)", inside) if not re.match(r"(self|arg0)\b", part)]
        return [(part.split(":")[0], False, "=" in part) for part in parts]
    assert not any(parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL) for parameter in parameters), function
    return [(parameter.name, parameter.kind == parameter.KEYWORD_ONLY, parameter.default is not parameter.empty)
            for parameter in parameters if parameter.name != "self"]


def compare_class(stub, real):
    members = {}
    for node in stub.body:
        if isinstance(node, ast.FunctionDef):
            members[node.name] = node
        elif isinstance(node, ast.AnnAssign):
            members[node.target.id] = node
    public = {name for name in vars(real) if not name.startswith("_")}
    assert public <= set(members), (stub.name, "not in the stub", public - set(members))
    for name, node in members.items():
        if isinstance(node, ast.AnnAssign):
            continue  # set by the constructor
        if name == "__init__":
            assert "NoReturn" in ast.unparse(node), f"{stub.name} looks as if it could be made by callers"
            continue
        found = inspect.getattr_static(real, name)
        if any(ast.unparse(decorator) == "property" for decorator in node.decorator_list):
            assert isinstance(found, property), (stub.name, name)
        else:
            assert not isinstance(found, property), (stub.name, name)
            assert stub_parameters(node) == real_parameters(getattr(real, name)), (stub.name, name)
    return len(members)


names = {}
for definition in STUB.body:
    if isinstance(definition, (ast.FunctionDef, ast.ClassDef)):
        names[definition.name] = definition
    elif isinstance(definition, ast.AnnAssign):
        names[definition.target.id] = definition
assert set(names) == set(sojourn.__all__), set(names) ^ set(sojourn.__all__)
compared = 0
for what, definition in names.items():
    there = getattr(sojourn, what)
    if isinstance(definition, ast.ClassDef):
        compared += compare_class(definition, there)
    elif isinstance(definition, ast.FunctionDef):
        assert stub_parameters(definition) == real_parameters(there), (what, stub_parameters(definition), real_parameters(there))
        compared += 1
assert compared > 25, compared
print(f"{compared} functions and members are as the stub says")
