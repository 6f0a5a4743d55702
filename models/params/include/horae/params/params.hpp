// All there is to write a schema down and read a document with it.
#pragma once

#include "horae/params/document.hpp"
#include "horae/params/located.hpp"
#include "horae/params/param_info.hpp"
#include "horae/params/schema.hpp"
